/** As much of Kubernetes' API as `helm install --dry-run=server` asks for: which kinds there are, and one Secret. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The kinds that the chart's objects are of, by API version. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  v1: ['ConfigMap', 'Secret', 'Service', 'ServiceAccount'],
  'apps/v1': ['StatefulSet'],
  'policy/v1': ['PodDisruptionBudget'],
  'networking.k8s.io/v1': ['NetworkPolicy', 'Ingress'],
  'monitoring.coreos.com/v1': ['ServiceMonitor'],
}

export type FakeApi = {
  /** A kubeconfig that leads to it. */
  readonly config: string
  close(): void
}

/** @param secret its name in every namespace, and its keys */
export const startFakeApi = async (secret: {
  readonly name: string
  readonly keys: readonly string[]
}): Promise<FakeApi> => {
  const answers: Readonly<Record<string, object>> = {
    '/version': { major: '1', minor: '34', gitVersion: 'v1.34.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: Object.keys(kinds).filter(isGroup).map(toGroup) },
    ...Object.fromEntries(Object.entries(kinds).map(toResources)),
  }
  const ofSecret = new RegExp(`^/api/v1/namespaces/[^/]+/secrets/${secret.name}$`)
  const found = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret.name },
    data: Object.fromEntries(secret.keys.map(key => [key, ''])),
  }
  const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
  const server = createServer(({ url = '' }, response) => {
    const [path = ''] = url.split('?')
    const answer = ofSecret.test(path) ? found : answers[path]
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? missing))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [name, cluster] = ['fake', { server: `http://127.0.0.1:${port}` }]
  return {
    config: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      clusters: [{ name, cluster }],
      users: [{ name, user: {} }],
      contexts: [{ name, context: { cluster: name, user: name } }],
    }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const isGroup = (version: string): boolean => version.includes('/')

const toGroup = (groupVersion: string) => {
  const [name, version] = groupVersion.split('/')
  const preferred = { groupVersion, version }
  return { name, versions: [preferred], preferredVersion: preferred }
}

const toResources = ([groupVersion, names]: [string, readonly string[]]): [string, object] => [
  `${isGroup(groupVersion) ? '/apis' : '/api'}/${groupVersion}`,
  {
    kind: 'APIResourceList',
    groupVersion,
    resources: names.map(kind => {
      const singularName = kind.toLowerCase()
      return {
        name: singularName.replace(/y?$/, end => (end ? 'ies' : 's')),
        singularName,
        namespaced: true,
        kind,
        verbs: ['get', 'create'],
      }
    }),
  },
]
