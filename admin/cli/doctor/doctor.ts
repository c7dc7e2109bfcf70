import { clusterAt, clustersOf, isEmbedded, type NamedCluster } from '../../../src/config/clusters.ts'
import type { Settings } from '../../../src/config/table.ts'
import type { MountTable } from '../../../src/filesystem/mounts.ts'
import type { KeytabCheck } from '../../../src/kerberos/keytab.ts'
import { landsByCatalog } from '../../../src/spool/to-spool-settings.ts'
import { withNameSpace } from '../spool/name-space.ts'
import { askScribeName } from './ask-scribe.ts'
import { checkCatalog } from './catalog.ts'
import { type DoctorCheck, fail, ok, toCheckReason, warn, within } from './check.ts'
import { checkDisk } from './disk.ts'
import { checkListed, checkOutput } from './file-system.ts'
import { checkMachine } from './machine.ts'
import { checkCluster } from './name-nodes.ts'
import { checkCertificate, checkKey, checkPort, checkReach, isSluiceHttp } from './network.ts'
import { checkReplicated } from './replicated.ts'
import { checkRunning, type RunningServer } from './running-server.ts'

/** Everything that a server with these settings would need, step by step. */
export async function* diagnose(settings: Settings): AsyncGenerator<DoctorCheck, void, undefined> {
  yield* checkMachine()
  yield* await checkDisks(settings)
  const { checks, running } = await checkPorts(settings)
  yield* checks
  yield* await checkRunning(running, settings)
  for (const listener of ['server', 'admin'] as const) {
    const [cert, key] = [settings[`${listener}.tls.cert`], settings[`${listener}.tls.key`]]
    if (cert === undefined || key === undefined) continue
    yield await checkCertificate(`${listener}.tls.cert`, cert)
    yield* await checkKey(`${listener}.tls.key`, key, cert)
  }
  yield* await checkKerberos(settings)
  yield* checkFileSystems(settings)
  yield* await checkCatalog(settings)
  yield* await checkBroker(settings)
}

/** The spool may be on another disk than everything else. */
const checkDisks = async (settings: Settings): Promise<readonly DoctorCheck[]> => {
  const [data, spool] = [settings['data.dir'], settings['collector.diskspool.path']]
  const space = { minFreeBytes: settings['collector.diskspool.min-free-bytes'] }
  if (spool.startsWith(`${data}/`)) return checkDisk('data.dir', data, space)
  return [...(await checkDisk('data.dir', data)), ...(await checkDisk('collector.diskspool.path', spool, space))]
}

type Ports = { readonly checks: readonly DoctorCheck[]; readonly running: RunningServer }

const checkPorts = async (settings: Settings): Promise<Ports> => {
  const isTls = settings['server.tls.cert'] !== undefined
  const collector = { host: settings['server.host'], port: settings['server.port'], isTls }
  const gatewayPort = settings['gateway.port']
  const gateway =
    gatewayPort === undefined ? undefined : { host: settings['gateway.host'] ?? '127.0.0.1', port: gatewayPort, isTls }
  const admin = {
    host: settings['admin.host'],
    port: settings['admin.port'],
    isTls: settings['admin.tls.cert'] !== undefined,
  }
  const scribe = { host: settings['collector.scribe.host'], port: settings['collector.scribe.port'] }
  const ports = await Promise.all([
    checkPort('server.port', collector, () => isSluiceHttp(collector)),
    gateway && checkPort('gateway.port', gateway, () => isSluiceHttp(gateway)),
    checkPort('admin.port', admin, () => isSluiceHttp(admin)),
    settings['collector.scribe.enabled']
      ? checkPort(
          'collector.scribe.port',
          scribe,
          async () => (await askScribeName(scribe.host, scribe.port)) === scribeName,
        )
      : undefined,
  ])
  const [ofServer, ofGateway] = ports
  const { services } = settings
  const collectorNow = ofServer.isSluice && services.includes('collector') ? collector : undefined
  const gatewayNow =
    gateway === undefined ? (ofServer.isSluice ? collector : undefined) : ofGateway?.isSluice ? gateway : undefined
  return {
    checks: ports.flatMap(port => port?.check ?? []),
    running: { collector: collectorNow, gateway: services.includes('gateway') ? gatewayNow : undefined },
  }
}

/** What the Scribe service of a Sluice calls itself. */
const scribeName = 'Ning Scribed Service'

const checkKerberos = async (settings: Settings): Promise<readonly DoctorCheck[]> => {
  const keytabs = keytabsOf(settings)
  if (keytabs.length === 0) return []
  const name = 'kerberos'
  const checks: DoctorCheck[] = []
  const { checkKeytab } = await import('../../../src/kerberos/keytab.ts')
  for (const keytab of keytabs) {
    try {
      await checkKeytab(keytab)
      checks.push(ok(keytab.setting, `has a key of ${keytab.principal}`))
    } catch (error) {
      const advice = `Make one that this user may read: \`kadmin -q 'ktadd -k ${keytab.keytab} ${keytab.principal}'\`.`
      checks.push(fail(keytab.setting, toCheckReason(error).replace(`${keytab.setting} `, ''), advice))
    }
  }
  try {
    // Its name as a value: it is an optional package.
    const specifier: string = 'kerberos'
    await import(specifier)
    return [...checks, ok(name, 'its package is installed')]
  } catch (error) {
    return [...checks, fail(name, toCheckReason(error), 'Install it beside Sluice: `npm install kerberos`.')]
  }
}

const keytabsOf = (settings: Settings): readonly KeytabCheck[] => {
  const accepting = settings['auth.kerberos.keytab']
  return [
    ...(accepting === undefined
      ? []
      : [
          {
            setting: 'auth.kerberos.keytab',
            keytab: accepting,
            principal: 'HTTP/…',
            isOne: (one: string) => one.startsWith('HTTP/'),
          },
        ]),
    ...clustersOf(settings).flatMap(({ from, path, kerberos }) =>
      kerberos ? [{ setting: from === 'namenode' ? 'namenode.kerberos.keytab' : `${from} ${path}`, ...kerberos }] : [],
    ),
  ]
}

async function* checkFileSystems(settings: Settings): AsyncGenerator<DoctorCheck, void, undefined> {
  const [root, ...others] = clustersOf(settings)
  const directory = settings['collector.event-output-directory']
  const byCatalog = landsByCatalog(settings)
  const { path: ofEvents } = clusterAt(settings, directory)
  // The embedded one is in data.dir, which was looked at.
  if (!isEmbedded(root)) {
    const { checks, isActive } = await checkCluster(root, root.from === 'namenode' ? undefined : `/ of ${root.from}`)
    yield* checks
    if (isActive)
      yield* await inNameSpace([root], 'file system', async fileSystem => [
        ...(await checkOutput(fileSystem, directory, byCatalog)),
        ...(ofEvents === '/' ? await checkReplicated(fileSystem, settings) : []),
        ...toWay('way', fileSystem.wayOf('/')),
      ])
    else yield fail('file system', 'no active NameNode', mendFirst)
  }
  // Each by itself: an error of one is reported once.
  for (const cluster of others) {
    const { path, from } = cluster
    const name = `mount ${path}`
    const { checks, isActive } = await checkCluster(cluster, `${name} of ${from}`)
    yield* checks.map(one => ({ ...one, name: `${name}, ${one.name}` }))
    if (isActive)
      yield* await inNameSpace([root, cluster], name, async fileSystem => [
        ...(ofEvents === path
          ? (await checkOutput(fileSystem, directory, byCatalog)).map(one => ({ ...one, name: `${name}, ${one.name}` }))
          : await checkListed(fileSystem, path, name)),
        ...(ofEvents === path ? await checkReplicated(fileSystem, settings) : []),
        ...toWay(`${name}, way`, fileSystem.wayOf(path)),
      ])
    else yield fail(name, 'no active NameNode', mendFirst)
  }
}

/** Where it was chosen, which way was taken and why. */
const toWay = (name: string, way: string): readonly DoctorCheck[] => (way === '' ? [] : [ok(name, way)])

const mendFirst = 'Fix the first of the above; the other checks need it.'

const inNameSpace = async (
  clusters: readonly [NamedCluster, ...NamedCluster[]],
  name: string,
  work: (fileSystem: MountTable) => Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> => {
  try {
    return await withNameSpace(clusters, work, within)
  } catch (error) {
    return [fail(name, toCheckReason(error), 'Fix the named setting; `sluice config` shows where each one is set.')]
  }
}

const checkBroker = async (settings: Settings): Promise<readonly DoctorCheck[]> => {
  const broker = settings['realtime.broker']
  if (broker === undefined) return []
  const { hostname, port, protocol } = new URL(broker)
  const number = Number(port) || { 'amqp:': 5672, 'amqps:': 5671, 'kafka:': 9092 }[protocol] || 0
  const checks = await checkReach('broker', hostname, number, 'realtime.broker')
  // Events are stored without it.
  return checks.map(one => (one.code === 'fail' ? warn(one.name, one.message, one.advice) : one))
}
