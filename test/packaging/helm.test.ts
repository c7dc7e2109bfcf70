import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { chartSettings } from '../../scripts/generate/chart.ts'
import { toIntakePaths } from '../../scripts/generate/intake-paths.ts'
import { loadConfig } from '../../src/config/config.ts'
import { isAllowedHost, toAllowedHosts } from '../../src/http/origin/hosts.ts'
import { describePart } from '../suites/describe-part.ts'
import { startFakeApi } from './kubernetes/fake-api.ts'
import { findHelm, findKubeconform } from './kubernetes/tools.ts'

const root = join(import.meta.dirname, '../..')
const chart = join(root, 'deploy/helm/sluice')
const execute = promisify(execFile)

const [helm, kubeconform] = await Promise.all([findHelm(), findKubeconform()])

type Values = Readonly<Record<string, unknown>>

/** What people would set. */
const sets: Readonly<Record<string, Values>> = {
  'as it comes': {},
  'a collector for the web': {
    replicaCount: 3,
    gateway: { enabled: false },
    collector: {
      service: {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        annotations: { 'cloud.example/kind': 'network' },
      },
      ingress: { enabled: true, className: 'nginx', hosts: ['events.example.org'], tlsSecret: 'events-tls' },
    },
    settings: {
      'collector.output.format': 'parquet',
      'collector.filters.useragent': ['bot', 'crawl'],
      'gateway.trash': 60,
    },
  },
  everything: {
    replicaCount: 5,
    image: { repository: 'registry.example/sluice', tag: '1.2.3', pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'registry' }],
    settings: {
      'namenode.url': 'hdfs://nn.example.org:8020',
      'collector.diskspool.max-segment-bytes': 134217728,
      'collector.idempotency.max-keys': 2000000,
      clusters: [{ path: '/old', url: 'hdfs://old.example.org:8020', user: 'sluice' }],
    },
    settingsSecret: 'sluice-settings',
    spool: { size: '100Gi', storageClassName: 'fast', annotations: { a: 'b' } },
    auth: { existingSecret: 'my-tokens' },
    collector: { ingress: { enabled: true, hosts: ['events.example.org'] } },
    gateway: {
      allowedHosts: ['files'],
      ingress: { enabled: true, hosts: ['files.example.org'], tlsSecret: 'files-tls' },
    },
    scribe: { enabled: true },
    tls: { secretName: 'sluice-tls', managementSecretName: 'sluice-management-tls' },
    kerberos: {
      keytabSecret: 'keytabs',
      principal: 'sluice/_HOST@EXAMPLE.ORG',
      callersKey: 'http.keytab',
      krb5Conf: '[libdefaults]\n  default_realm = EXAMPLE.ORG\n',
    },
    drain: { delaySeconds: 20, timeoutSeconds: 90 },
    podDisruptionBudget: { maxUnavailable: '20%' },
    networkPolicy: {
      gatewayFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
      managementFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    serviceAccount: { create: false, name: 'mine' },
    podAnnotations: { a: 'b' },
    podLabels: { team: 'data' },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
    ],
    priorityClassName: 'high',
    extraEnv: [{ name: 'TZ', value: 'UTC' }],
    extraVolumes: [{ name: 'modules', emptyDir: {} }],
    extraVolumeMounts: [{ name: 'modules', mountPath: '/modules' }],
  },
  'nothing that can be left out': {
    auth: { collector: true },
    gateway: { enabled: false },
    podDisruptionBudget: { enabled: false },
    networkPolicy: { enabled: false },
    serviceAccount: { create: false },
    resources: {},
  },
}

/** Collectors without volumes. */
const replicated = { 'collector.ack': 'replicated', 'namenode.url': 'hdfs://nn.example.org:8020' }
const deployments: Readonly<Record<string, Values>> = {
  'collectors without volumes': { collector: { kind: 'Deployment' }, settings: replicated },
  'so many, in memory': {
    replicaCount: 4,
    collector: { kind: 'Deployment', autoscaling: { enabled: false } },
    spool: { size: '2Gi', medium: 'Memory' },
    auth: { existingSecret: 'my-tokens' },
    settings: replicated,
  },
}

const texts = z.record(z.string(), z.string())
const port = z.looseObject({
  name: z.string().optional(),
  port: z.union([z.number(), z.string()]),
  targetPort: z.union([z.number(), z.string()]).optional(),
})
const probe = z.looseObject({ httpGet: z.looseObject({ path: z.string(), port: z.string(), scheme: z.string() }) })
const podShape = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  enableServiceLinks: z.boolean(),
  terminationGracePeriodSeconds: z.number(),
  securityContext: z.looseObject({}),
  containers: z.tuple([
    z.looseObject({
      image: z.string(),
      command: z.array(z.string()),
      ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })),
      env: z.array(z.looseObject({ name: z.string(), value: z.string() })),
      envFrom: z.array(z.unknown()).optional(),
      lifecycle: z.unknown().optional(),
      startupProbe: probe.extend({ periodSeconds: z.number(), failureThreshold: z.number() }),
      livenessProbe: probe,
      readinessProbe: probe,
      securityContext: z.looseObject({}),
      volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
    }),
  ]),
  volumes: z.array(
    z.looseObject({
      name: z.string(),
      secret: z
        .looseObject({ secretName: z.string(), items: z.array(z.looseObject({ key: z.string() })).optional() })
        .optional(),
    }),
  ),
})
const objectShape = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: texts }),
})
const statefulSetShape = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    serviceName: z.string(),
    selector: z.looseObject({ matchLabels: texts }),
    persistentVolumeClaimRetentionPolicy: z.unknown(),
    template: z.looseObject({ metadata: z.looseObject({ labels: texts, annotations: texts }), spec: podShape }),
    volumeClaimTemplates: z.array(
      z.looseObject({
        metadata: z.looseObject({ name: z.string() }),
        spec: z.looseObject({ accessModes: z.array(z.string()) }),
      }),
    ),
  }),
})
const deploymentShape = z.looseObject({
  spec: z.looseObject({
    replicas: z.number().optional(),
    selector: z.looseObject({ matchLabels: texts }),
    template: z.looseObject({ metadata: z.looseObject({ labels: texts }), spec: podShape }),
    volumeClaimTemplates: z.undefined().optional(),
    serviceName: z.undefined().optional(),
  }),
})
const serviceShape = z.looseObject({
  metadata: z.looseObject({ labels: texts }),
  spec: z.looseObject({
    type: z.string().optional(),
    clusterIP: z.string().optional(),
    selector: texts,
    ports: z.array(port),
  }),
})

type KubernetesObject = z.infer<typeof objectShape>

const runHelm = async (...args: readonly string[]): Promise<string> => {
  if ('missing' in helm) throw new Error(helm.missing)
  const { stdout, stderr } = await execute(helm.path, args, {
    env: { ...process.env, HOME: tmpdir() },
    maxBuffer: 1 << 24,
  })
  return `${stdout}${stderr}`
}

/** A file with values. */
const write = async (values: Values): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-helm-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'values.yaml')
  await writeFile(path, JSON.stringify(values))
  return path
}

const render = async (values: Values, ...args: readonly string[]): Promise<string> =>
  runHelm('template', 'sluice', chart, '--namespace', 'demo', '--values', await write(values), ...args)

const toObjects = (text: string): readonly KubernetesObject[] =>
  parseAllDocuments(text).flatMap(document => {
    const object: unknown = document.toJS()
    return object === null ? [] : [objectShape.parse(object)]
  })

const ofKind = (objects: readonly KubernetesObject[], kind: string): readonly KubernetesObject[] =>
  objects.filter(object => object.kind === kind)

/** The one with the pods. */
const toStatefulSet = (objects: readonly KubernetesObject[]) => {
  const [found, ...more] = ofKind(objects, 'StatefulSet')
  expect(more).toEqual([])
  return statefulSetShape.parse(found)
}

/** The settings file that the pods read. */
const toSettings = (objects: readonly KubernetesObject[]): string => {
  const { data } = z.looseObject({ data: texts }).parse(ofKind(objects, 'ConfigMap')[0])
  return data['sluice.yaml'] ?? ''
}

/** The status of a GET; unlike `fetch`, under any name of the host. */
const ask = async (url: URL, headers: Readonly<Record<string, string>>): Promise<number | undefined> => {
  const asked = request(url, { headers, agent: false })
  asked.end()
  const [answer] = z.tuple([z.custom<IncomingMessage>()]).parse(await once(asked, 'response'))
  answer.resume()
  return answer.statusCode
}

const selects = (selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value)

describePart('helm', 'missing' in helm ? helm.missing : undefined, 'the Helm chart', () => {
  for (const [name, values] of Object.entries(sets)) {
    test(`${name}: passes helm lint`, async () => {
      expect(await runHelm('lint', '--strict', chart, '--values', await write(values))).toContain('0 chart(s) failed')
    })

    test(`${name}: each collector has a volume that stays, and nothing that it does not need`, async () => {
      const objects = toObjects(await render(values))
      const { spec } = toStatefulSet(objects)
      expect(spec.volumeClaimTemplates.map(claim => [claim.metadata.name, claim.spec.accessModes])).toEqual([
        ['spool', ['ReadWriteOnce']],
      ])
      expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: 'Retain', whenScaled: 'Retain' })
      const pod = spec.template.spec
      const [container] = pod.containers
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10001,
        fsGroup: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect([pod.automountServiceAccountToken, pod.enableServiceLinks]).toEqual([false, false])
      // What is mounted is there, and the other way round.
      const volumes = [...pod.volumes.map(volume => volume.name), 'spool']
      expect(new Set(container.volumeMounts.map(mount => mount.name))).toEqual(new Set(volumes))
      expect(container.volumeMounts).toContainEqual({ name: 'spool', mountPath: '/var/lib/sluice' })
      expect(toSettings(objects)).toContain('collector.diskspool.path: /var/lib/sluice/')
    })

    test(`${name}: probes, Services, policies and Ingresses meet the pods`, async () => {
      const objects = toObjects(await render(values))
      const { spec } = toStatefulSet(objects)
      const { labels } = spec.template.metadata
      const [container] = spec.template.spec.containers
      const ports = new Map(container.ports.map(({ name: portName, containerPort }) => [portName, containerPort]))
      const scheme = toSettings(objects).includes('server.tls.cert') ? 'HTTPS' : 'HTTP'
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe]
      expect(probes.map(({ httpGet }) => httpGet)).toEqual(
        ['/livez', '/livez', '/readyz'].map(path => ({ path, port: 'collector', scheme })),
      )
      expect(selects(spec.selector.matchLabels, labels)).toBe(true)
      const services = new Map(
        ofKind(objects, 'Service').map(object => [object.metadata.name, serviceShape.parse(object)]),
      )
      expect(services.get(spec.serviceName)?.spec.clusterIP).toBe('None')
      for (const service of services.values()) {
        expect(selects(service.spec.selector, labels)).toBe(true)
        for (const { targetPort } of service.spec.ports) expect([...ports.keys()]).toContain(targetPort)
        // The management has no address, whatever the type of the others.
        if (service.spec.ports.some(({ targetPort }) => targetPort === 'management')) {
          expect([service.spec.type, service.spec.clusterIP]).toEqual([undefined, 'None'])
        }
      }
      for (const budget of ofKind(objects, 'PodDisruptionBudget')) {
        const shape = z.looseObject({ spec: z.looseObject({ selector: z.looseObject({ matchLabels: texts }) }) })
        expect(selects(shape.parse(budget).spec.selector.matchLabels, labels)).toBe(true)
      }
      for (const policy of ofKind(objects, 'NetworkPolicy')) {
        const rule = z.looseObject({ ports: z.array(port), from: z.array(z.unknown()).optional() })
        const shape = z.looseObject({
          spec: z.looseObject({ podSelector: z.looseObject({ matchLabels: texts }), ingress: z.array(rule) }),
        })
        const { spec: policySpec } = shape.parse(policy)
        expect(selects(policySpec.podSelector.matchLabels, labels)).toBe(true)
        const open = policySpec.ingress.filter(({ from }) => from === undefined).flatMap(one => one.ports)
        expect(open.map(one => one.port).filter(one => one !== 'scribe')).toEqual(['collector'])
        expect(new Set(policySpec.ingress.flatMap(one => one.ports).map(one => one.port))).toEqual(
          new Set(ports.keys()),
        )
      }
      const backend = z.looseObject({
        service: z.looseObject({ name: z.string(), port: z.looseObject({ number: z.number() }) }),
      })
      const path = z.looseObject({ path: z.string(), pathType: z.string(), backend })
      const ingress = z.looseObject({
        spec: z.looseObject({ rules: z.array(z.looseObject({ http: z.looseObject({ paths: z.array(path) }) })) }),
      })
      for (const object of ofKind(objects, 'Ingress')) {
        const isGateway = object.metadata.name.endsWith('-gateway')
        const paths = isGateway ? [{ path: '/', pathType: 'Prefix' }] : toIntakePaths()
        for (const rule of ingress.parse(object).spec.rules)
          expect(rule.http.paths.map(one => ({ path: one.path, pathType: one.pathType }))).toEqual(paths)
        for (const one of ingress.parse(object).spec.rules.flatMap(rule => rule.http.paths)) {
          const service = services.get(one.backend.service.name)
          expect(service?.spec.ports.map(({ port: number }) => number)).toContain(one.backend.service.port.number)
          expect(service?.spec.ports[0]?.targetPort).toBe(isGateway ? 'gateway' : 'collector')
        }
      }
      for (const monitor of ofKind(objects, 'ServiceMonitor')) {
        const shape = z.looseObject({
          spec: z.looseObject({
            selector: z.looseObject({ matchLabels: texts }),
            endpoints: z.tuple([z.looseObject({ port: z.string() })]),
          }),
        })
        const { selector, endpoints } = shape.parse(monitor).spec
        const found = [...services.values()].filter(one => selects(selector.matchLabels, one.metadata.labels))
        expect(found.map(one => one.spec.ports.map(({ name: portName }) => portName))).toEqual([[endpoints[0].port]])
      }
    })

    test(`${name}: Sluice takes the settings, and no secret is among them`, async () => {
      const objects = toObjects(await render(values))
      const text = toSettings(objects)
      const { settings, warnings } = loadConfig({
        argv: ['--config', 'sluice.yaml'],
        env: {},
        cwd: '/',
        readFile: () => text,
      })
      expect(warnings).toEqual([])
      const given = values['settings'] ?? {}
      const asked: Readonly<Record<string, unknown>> = typeof given === 'object' ? { ...given } : {}
      const written = z.record(z.string(), z.unknown()).parse(parse(text))
      expect(written).toMatchObject(asked)
      const own = Object.keys(written).filter(key => !(key in asked))
      expect(chartSettings).toEqual(expect.arrayContaining(own))
      expect(settings['auth.tokens']).toBe('/etc/sluice/tokens/tokens')
      const shown = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))
      for (const secret of ofKind(objects, 'Secret')) {
        const { stringData } = z.looseObject({ stringData: texts }).parse(secret)
        for (const one of Object.values(stringData)) expect(shown).not.toContain(one)
      }
      // The pods see the hashes alone, unless they have to drain by themselves.
      const mounts = toStatefulSet(objects).spec.template.spec.volumes.flatMap(volume =>
        volume.name === 'tokens' ? (volume.secret?.items ?? []).map(({ key }) => key) : [],
      )
      expect(mounts).toEqual(['tokens'])
    })
  }

  test('all that the chart decides is kept out of the settings that people give', async () => {
    const everything = sets['everything'] ?? {}
    const written = Object.keys(parse(toSettings(toObjects(await render(everything)))))
    expect(written).toEqual(expect.arrayContaining([...chartSettings]))
    for (const key of chartSettings) {
      await expect(render({ settings: { [key]: 'x' } })).rejects.toThrow(`additional properties '${key}' not allowed`)
    }
  })

  test.each([
    [{ replicas: 3 }, "additional properties 'replicas' not allowed"],
    [{ replicaCount: -1 }, '/replicaCount'],
    [{ replicaCount: '3' }, 'got string, want integer'],
    [{ spool: { size: 'much' } }, '/spool/size'],
    [
      { settings: { 'collector.output.formt': 'parquet' } },
      "additional properties 'collector.output.formt' not allowed",
    ],
    [{ settings: { 'collector.output.format': 'orc' } }, "must be one of 'native', 'sequencefile', 'jsonl', 'parquet'"],
    [{ settings: { collector: { ack: 'fsync' } } }, "additional properties 'collector' not allowed"],
    [{ settings: { 'namenode.token': 'secret' } }, "additional properties 'namenode.token' not allowed"],
    [{ settings: { clusters: [{ path: '/a', url: 'hdfs://a', token: 'secret' }] } }, '/settings/clusters/0/token'],
    [{ settings: { mounts: [{ path: '/a', url: 'hdfs://a', token: 'secret' }] } }, '/settings/mounts/0/token'],
    [{ collector: { ingress: { enabled: true } } }, '/collector/ingress/hosts'],
    [{ auth: { collector: true }, scribe: { enabled: true } }, '/scribe/enabled'],
    [{ kerberos: { principal: 'sluice@EXAMPLE.ORG' } }, '/kerberos/principal'],
    [{ gateway: { ingress: { enabled: true, hosts: ['files'] } } }, 'networkPolicy.gatewayFrom is needed'],
    [{ gateway: { service: { type: 'LoadBalancer' } } }, 'networkPolicy.gatewayFrom is needed'],
    [{ gateway: { service: { type: 'NodePort' } } }, 'networkPolicy.gatewayFrom is needed'],
    [{ drain: { timeoutSeconds: 30 } }, '/drain/timeoutSeconds'],
    [{ image: { pullPolicy: 'Sometimes' } }, '/image/pullPolicy'],
  ])('refuses %j', async (values, message) => {
    await expect(render(values)).rejects.toThrow(message)
  })

  test.each([{}, { nameOverride: 'collector' }, { fullnameOverride: 'events' }])(
    'the job is the one that the alerts ask for: %j',
    async values => {
      const shape = z.looseObject({
        spec: z.looseObject({ endpoints: z.tuple([z.looseObject({ relabelings: z.array(texts) })]) }),
      })
      const monitors = ofKind(
        toObjects(await render({ ...values, serviceMonitor: { enabled: true } })),
        'ServiceMonitor',
      )
      expect(monitors.map(monitor => shape.parse(monitor).spec.endpoints[0].relabelings)).toEqual([
        [{ action: 'replace', targetLabel: 'job', replacement: 'sluice' }],
      ])
      expect(await readFile(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8')).toContain('{job="sluice"')
    },
  )

  test.each([
    ['a certificate and its key', ['tls.crt', 'tls.key'], false, 'clients cannot verify its certificate'],
    ['the same where Prometheus asks', ['tls.crt', 'tls.key'], true, 'Prometheus cannot scrape'],
    ['its CA as well', ['ca.crt', 'tls.crt', 'tls.key'], true, ''],
    ['nothing, for it is not there yet', undefined, true, ''],
  ])(
    'the notes say which names the certificate of the management needs, and whether its Secret lacks the CA: %s',
    async (_, keys, isMonitored, want) => {
      const api = await startFakeApi({ name: keys ? 'management' : 'another', keys: keys ?? [] })
      onTestFinished(() => api.close())
      const values = await write({
        tls: { secretName: 'events', managementSecretName: 'management' },
        serviceMonitor: { enabled: isMonitored },
      })
      const config = join(dirname(values), 'kubeconfig')
      await writeFile(config, api.config)
      const flags = ['--namespace', 'demo', '--values', values, '--kubeconfig', config]
      const shown = await runHelm(
        'install',
        'sluice',
        chart,
        '--dry-run=server',
        '--disable-openapi-validation',
        ...flags,
      )
      const [, notes = ''] = shown.split('NOTES:')
      expect(notes).toContain('(Secret management) needs the names `localhost`')
      expect(notes).toContain('`sluice-pods`, for Prometheus; the Secret needs the key `ca.crt`')
      const warning = notes.split('\n').filter(line => line.includes('no key'))
      expect(warning).toEqual(want ? [`WARNING: the Secret management has no key \`ca.crt\`: ${want}.`] : [])
    },
  )

  test('the notes do not mention certificates if the management has no TLS', async () => {
    const flags = ['--namespace', 'demo', '--values', await write({})]
    const shown = await runHelm('install', 'sluice', chart, '--dry-run=client', ...flags)
    expect(shown).toContain('NOTES:')
    expect(shown).not.toContain('ca.crt')
  })

  test('a gateway within needs no rule; one from outside has it, or no policy', async () => {
    const outside = { gateway: { service: { type: 'LoadBalancer' } } }
    await expect(render({ ...outside, networkPolicy: { enabled: false } })).resolves.toContain('LoadBalancer')
    const from = [{ ipBlock: { cidr: '10.0.0.0/8' } }]
    await expect(render({ ...outside, networkPolicy: { gatewayFrom: from } })).resolves.toContain('10.0.0.0/8')
    await expect(render({ gateway: { enabled: false, service: { type: 'LoadBalancer' } } })).resolves.toBeDefined()
  })

  test('the scrape configuration of the docs asks the pods by their addresses, which the management answers to', async () => {
    const page = await readFile(join(root, 'docs/kubernetes.md'), 'utf8')
    const [, block = ''] = /```yaml\n(scrape_configs:[\s\S]*?)```/.exec(page) ?? []
    const dns = z.object({ names: z.array(z.string()), type: z.literal('A'), port: z.number() })
    const shape = z.object({
      scrape_configs: z.tuple([
        z.object({ job_name: z.literal('sluice'), authorization: z.unknown(), dns_sd_configs: z.tuple([dns]) }),
      ]),
    })
    const [{ dns_sd_configs: asked }] = shape.parse(parse(block)).scrape_configs
    const objects = toObjects(await render({}))
    const { serviceName, template } = toStatefulSet(objects).spec
    expect(asked[0].names).toEqual([`${serviceName}.sluice.svc.cluster.local`])
    const [container] = template.spec.containers
    expect(container.ports).toContainEqual(
      expect.objectContaining({ name: 'management', containerPort: asked[0].port }),
    )
    const { settings } = loadConfig({
      argv: ['--config', 'sluice.yaml'],
      env: {},
      cwd: '/',
      readFile: () => toSettings(objects),
    })
    const hosts = toAllowedHosts(settings['admin.allowed-hosts'], settings['admin.host'])
    expect(isAllowedHost('10.1.2.3:8081', hosts)).toBe(true)
    expect(isAllowedHost('collector-1:8081', hosts)).toBe(false)
  })

  test('a setting restarts the pods; replicas and replaced tokens do not', async () => {
    const checksum = async (values: Values) =>
      toStatefulSet(toObjects(await render(values))).spec.template.metadata.annotations['checksum/settings']
    const before = await checksum({})
    expect(before).toMatch(/^[0-9a-f]{64}$/)
    expect(await checksum({ replicaCount: 7 })).toBe(before)
    expect(await checksum({ settings: { 'log.level': 'debug' } })).not.toBe(before)
    expect(await checksum({ drain: { delaySeconds: 11 } })).not.toBe(before)
  })

  test('a stop has the time that a drain may take, and none is for good: that would outlast the restart', async () => {
    const pod = async (values: Values) => toStatefulSet(toObjects(await render(values))).spec.template.spec
    const usual = await pod({})
    expect(usual.terminationGracePeriodSeconds).toBeGreaterThan(60 + 10)
    expect((await pod({ drain: { delaySeconds: 100 } })).terminationGracePeriodSeconds).toBeGreaterThan(60 + 100)
    expect(usual.containers[0].lifecycle).toBeUndefined()
    const patient = await pod({ probes: { startupSeconds: 601 } })
    expect(patient.containers[0].startupProbe).toMatchObject({ periodSeconds: 5, failureThreshold: 121 })
  })

  for (const [name, values] of Object.entries(deployments)) {
    test(`${name}: pass helm lint, and hold nothing that outlives them`, async () => {
      expect(await runHelm('lint', '--strict', chart, '--values', await write(values))).toContain('0 chart(s) failed')
      const objects = toObjects(await render(values))
      expect(ofKind(objects, 'StatefulSet')).toEqual([])
      const { spec } = deploymentShape.parse(ofKind(objects, 'Deployment')[0])
      const pod = spec.template.spec
      const [container] = pod.containers
      expect(selects(spec.selector.matchLabels, spec.template.metadata.labels)).toBe(true)
      expect(new Set(container.volumeMounts.map(mount => mount.name))).toEqual(
        new Set(pod.volumes.map(volume => volume.name)),
      )
      const isScaled = spec.replicas === undefined
      expect(ofKind(objects, 'HorizontalPodAutoscaler')).toHaveLength(isScaled ? 1 : 0)
      expect([isScaled, spec.replicas]).toEqual(name.startsWith('so many') ? [false, 4] : [true, undefined])
      const emptyDir = isScaled ? { sizeLimit: '20Gi' } : { sizeLimit: '2Gi', medium: 'Memory' }
      expect(pod.volumes).toContainEqual({ name: 'spool', emptyDir })
      expect(container.volumeMounts).toContainEqual({ name: 'spool', mountPath: '/var/lib/sluice' })
    })

    test(`${name}: drain before they go, with a token for that alone, and have the time`, async () => {
      const objects = toObjects(await render({ ...values, drain: { delaySeconds: 7, hookSeconds: 200 } }))
      const { spec } = deploymentShape.parse(ofKind(objects, 'Deployment')[0])
      const [container] = spec.template.spec.containers
      const command = [
        'sh',
        '-c',
        expect.stringMatching(/^sleep 7; exec sluice drain --timeout 200 --token-file (\S+)$/),
      ]
      expect(container.lifecycle).toEqual({ preStop: { exec: { command } } })
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(7 + 200 + 7 + 60)
      expect(container.volumeMounts).toContainEqual({
        name: 'drain-token',
        mountPath: '/etc/sluice/drain',
        readOnly: true,
      })
      const [secret] = ofKind(objects, 'Secret')
      if (secret === undefined) return
      const { stringData } = z.looseObject({ stringData: texts }).parse(secret)
      const hash = createHash('sha256')
        .update(stringData['drain-token'] ?? '')
        .digest('hex')
      expect(stringData['tokens']).toContain(`drain view,operate sha256:${hash}`)
    })

    test(`${name}: Sluice takes the settings`, async () => {
      const text = toSettings(toObjects(await render(values)))
      const { settings } = loadConfig({
        argv: ['--config', 'sluice.yaml'],
        env: {},
        cwd: '/',
        readFile: () => text,
      })
      expect(settings['collector.ack']).toBe('replicated')
    })
  }

  test('collectors without volumes need a log that survives them', async () => {
    const deployment = { collector: { kind: 'Deployment' } }
    for (const settings of [{}, { 'collector.ack': 'fsync' }]) {
      const message = 'collector.kind Deployment keeps no volume'
      await expect(render({ ...deployment, settings })).rejects.toThrow(message)
    }
  })

  test('an autoscaler keeps one that can take over another, and lets one go at a time', async () => {
    const values = deployments['collectors without volumes'] ?? {}
    const [scaler] = ofKind(toObjects(await render(values)), 'HorizontalPodAutoscaler')
    expect(scaler).toMatchObject({
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'sluice' },
        minReplicas: 3,
        maxReplicas: 10,
        behavior: { scaleDown: { policies: [{ type: 'Pods', value: 1 }] } },
      },
    })
    await expect(
      render({ ...values, collector: { kind: 'Deployment', autoscaling: { minReplicas: 1 } } }),
    ).rejects.toThrow('/collector/autoscaling/minReplicas')
    expect(ofKind(toObjects(await render({})), 'HorizontalPodAutoscaler')).toEqual([])
  })

  test('the server starts with it; its probes answer, tokens guard the rest, and Prometheus has its own', async () => {
    const objects = toObjects(await render({ drain: { delaySeconds: 0 } }))
    const directory = await mkdtemp(join(tmpdir(), 'sluice-chart-'))
    const inside = (text: string): string =>
      text.replaceAll('/var/lib/sluice', `${directory}/data`).replaceAll('/etc/sluice', `${directory}/etc`)
    const { stringData } = z.looseObject({ stringData: texts }).parse(ofKind(objects, 'Secret')[0])
    await mkdir(join(directory, 'etc/tokens'), { recursive: true })
    await mkdir(join(directory, 'data'))
    await writeFile(join(directory, 'etc/tokens/tokens'), stringData['tokens'] ?? '')
    await writeFile(join(directory, 'etc/sluice.yaml'), inside(toSettings(objects)))
    const [container] = toStatefulSet(objects).spec.template.spec.containers
    const [command, ...words] = container.command.map(inside)
    expect(command).toBe('sluice')
    const free = ['server', 'gateway', 'admin'].flatMap(name => ['--set', `${name}.port=0`])
    const child = spawn(process.execPath, [join(root, 'bin/sluice.js'), ...words, ...free], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exit
      await rm(directory, { recursive: true })
    })
    const listeners = z.looseObject({ server: z.string(), gateway: z.string(), admin: z.string() })
    const urls = await new Promise<z.infer<typeof listeners>>((resolve, reject) => {
      createInterface(child.stdout).on('line', line => {
        if (line.includes('"sluice is ready"')) resolve(listeners.parse(JSON.parse(line)))
      })
      void exit.then(([code]) => reject(new Error(`The server ended with ${code}`)))
    })
    const urlOf: Readonly<Record<string, string>> = {
      collector: urls.server,
      management: urls.admin,
      gateway: urls.gateway,
    }
    const get = (name: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
      const url = new URL(path, urlOf[name])
      url.hostname = '127.0.0.1'
      return ask(url, headers)
    }
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(await get(httpGet.port, httpGet.path, { host: '10.1.2.3:8080' })).toBe(200)
    }
    const bearer = (key: string) => ({ authorization: `Bearer ${stringData[key]}` })
    expect(await get('collector', '/1?v=Hello')).toBe(202)
    expect(await get('collector', '/rest/1.0/json?path=/')).toBe(404)
    expect(await get('gateway', '/rest/1.0/json?path=/', { host: 'sluice-gateway.demo.svc' })).toBe(401)
    expect(
      await get('gateway', '/rest/1.0/json?path=/', { host: 'sluice-gateway.demo.svc', ...bearer('operator-token') }),
    ).toBe(200)
    expect(await get('gateway', '/rest/1.0/json?path=/', { host: 'evil.example', ...bearer('operator-token') })).toBe(
      403,
    )
    expect(await get('management', '/metrics', { host: '10.1.2.3:8081' })).toBe(401)
    expect(await get('management', '/metrics', { host: '10.1.2.3:8081', ...bearer('prometheus-token') })).toBe(200)
    expect(
      await get('gateway', '/rest/1.0/json?path=/', { host: 'sluice-gateway', ...bearer('prometheus-token') }),
    ).toBe(403)
    child.kill('SIGTERM')
    expect((await exit)[0]).toBe(0)
  })
})

/** Without a schema there: the ServiceMonitor, which is the Prometheus operator's. */
const unknownKinds = 'ServiceMonitor'

describePart(
  'helm',
  [helm, kubeconform].map(tool => ('missing' in tool ? tool.missing : undefined)).find(Boolean),
  "the chart's objects",
  () => {
    for (const [name, values] of Object.entries({ ...sets, ...deployments })) {
      test(`${name}: are known to Kubernetes, the oldest that the chart takes and the newest`, async () => {
        if ('missing' in kubeconform) throw new Error(kubeconform.missing)
        const file = await write({})
        await writeFile(file, await render(values))
        const { schemas, path } = kubeconform
        expect([...schemas.keys()]).toEqual(['1.25.0', expect.stringMatching(/^1\.[3-9]\d\.0$/)])
        for (const location of schemas.values()) {
          const args = [
            '-strict',
            '-summary',
            '-output',
            'json',
            '-skip',
            unknownKinds,
            '-schema-location',
            location,
            file,
          ]
          const { stdout } = await execute(path, args)
          expect(JSON.parse(stdout)).toMatchObject({ summary: { invalid: 0, errors: 0 } })
        }
      })
    }
  },
)
