import type { Settings } from '../../../../src/config/table.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import type { KeytabCheck } from '../../../../src/kerberos/keytab.ts'
import { type Check, fail, ok, toReason, warn, within } from './check.ts'
import { checkDisk } from './disk.ts'
import { checkListed, checkNameNode, checkOutput } from './file-system.ts'
import { checkMachine } from './machine.ts'
import { checkCertificate, checkKey, checkPort, checkReach } from './network.ts'

/** Everything that a server with these settings would need, step by step. */
export async function* diagnose(settings: Settings): AsyncGenerator<Check, void, undefined> {
  yield* checkMachine()
  yield* await checkPorts(settings)
  yield* await checkDisk('data.dir', settings['data.dir'])
  if (!settings['collector.diskspool.path'].startsWith(`${settings['data.dir']}/`))
    yield* await checkDisk(
      'collector.diskspool.path',
      settings['collector.diskspool.path'],
      settings['collector.diskspool.min-free-bytes'],
    )
  for (const listener of ['server', 'admin'] as const) {
    const [cert, key] = [settings[`${listener}.tls.cert`], settings[`${listener}.tls.key`]]
    if (cert === undefined || key === undefined) continue
    yield await checkCertificate(`${listener}.tls.cert`, cert)
    yield* await checkKey(`${listener}.tls.key`, key, cert)
  }
  yield* await checkKerberos(settings)
  yield* checkFileSystems(settings)
  yield* await checkBroker(settings)
}

const checkPorts = (settings: Settings): Promise<readonly Check[]> => {
  const gatewayPort = settings['gateway.port']
  return Promise.all([
    checkPort('server.port', settings['server.host'], settings['server.port']),
    ...(gatewayPort === undefined
      ? []
      : [checkPort('gateway.port', settings['gateway.host'] ?? '127.0.0.1', gatewayPort)]),
    checkPort('admin.port', settings['admin.host'], settings['admin.port']),
    ...(settings['collector.scribe.enabled']
      ? [checkPort('collector.scribe.port', settings['collector.scribe.host'], settings['collector.scribe.port'])]
      : []),
  ])
}

const checkKerberos = async (settings: Settings): Promise<readonly Check[]> => {
  const keytabs = keytabsOf(settings)
  if (keytabs.length === 0) return []
  const name = 'kerberos'
  const checks: Check[] = []
  const { checkKeytab } = await import('../../../../src/kerberos/keytab.ts')
  for (const keytab of keytabs) {
    try {
      await checkKeytab(keytab)
      checks.push(ok(keytab.setting, `has a key of ${keytab.principal}`))
    } catch (error) {
      const advice = `Make one that this user may read: \`kadmin -q 'ktadd -k ${keytab.keytab} ${keytab.principal}'\`.`
      checks.push(fail(keytab.setting, toReason(error).replace(`${keytab.setting} `, ''), advice))
    }
  }
  try {
    // Its name as a value: it is an optional package.
    const specifier: string = 'kerberos'
    await import(specifier)
    return [...checks, ok(name, 'its package is installed')]
  } catch (error) {
    return [...checks, fail(name, toReason(error), 'Install it beside Sluice: `npm install kerberos`.')]
  }
}

const keytabsOf = (settings: Settings): readonly KeytabCheck[] => {
  const { 'auth.kerberos.keytab': accepting, 'namenode.kerberos.keytab': own } = settings
  const principal = settings['namenode.kerberos.principal']
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
    ...(own === undefined || principal === undefined
      ? []
      : [{ setting: 'namenode.kerberos.keytab', keytab: own, principal }]),
    ...settings.mounts.flatMap(({ path, kerberos }) => (kerberos ? [{ setting: `mounts ${path}`, ...kerberos }] : [])),
  ]
}

async function* checkFileSystems(settings: Settings): AsyncGenerator<Check, void, undefined> {
  // A local one is in data.dir, which was looked at.
  if (settings['namenode.url'] !== undefined) {
    const { checks, isActive } = await checkNameNodes(settings['namenode.webhdfs.url'], settings['namenode.user'])
    yield* checks
    const directory = settings['collector.event-output-directory']
    if (isActive)
      yield* await inNameSpace({ ...settings, mounts: [] }, 'file system', fileSystem =>
        checkOutput(fileSystem, directory),
      )
    else yield fail('file system', 'no active NameNode', mendFirst)
  }
  // Each by itself: what is wrong with one is told once.
  for (const mount of settings.mounts) {
    const { path, url, webhdfs, user } = mount
    const name = `mount ${path}`
    const setting = `${name} of mounts`
    const { checks, isActive } = url.startsWith('hdfs:')
      ? await checkNameNodes(webhdfs, user, setting)
      : { checks: [], isActive: true }
    yield* checks.map(one => ({ ...one, name: `${name}, ${one.name}` }))
    const alone = { ...settings, mounts: [mount] }
    if (isActive) yield* await inNameSpace(alone, name, fileSystem => checkListed(fileSystem, path, name))
    else yield fail(name, 'no active NameNode', mendFirst)
  }
}

const mendFirst = 'Mend the first of the above; nothing else can be tried until then.'

/** One of several is enough: a standby, or the port that another version has. */
const checkNameNodes = async (urls: readonly string[], user: string | undefined, setting?: string) => {
  const checks: Check[] = []
  for (const url of urls) checks.push(...(await checkNameNode(url, user, setting === undefined ? {} : { setting })))
  const isActive = checks.some(({ name, code }) => name.endsWith('WebHDFS') && code === 'ok')
  return {
    isActive,
    checks: checks.map(one => (isActive && one.code === 'fail' ? warn(one.name, one.message, one.advice) : one)),
  }
}

const inNameSpace = async (
  settings: Settings,
  name: string,
  work: (fileSystem: FileSystem) => Promise<readonly Check[]>,
): Promise<readonly Check[]> => {
  const [{ createNameSpace }, { createClusterTokens }] = await Promise.all([
    import('../../../../src/filesystem/name-space.ts'),
    import('../../../../src/kerberos/cluster-tokens.ts'),
  ])
  try {
    const tokens = await createClusterTokens(settings, { info: () => {}, warn: () => {} })
    try {
      const fileSystem = await within(createNameSpace(settings, tokens.of))
      try {
        return await work(fileSystem)
      } finally {
        await fileSystem.close()
      }
    } finally {
      await tokens.close()
    }
  } catch (error) {
    return [fail(name, toReason(error), 'Mend what it names; `sluice config` shows where each setting comes from.')]
  }
}

const checkBroker = async (settings: Settings): Promise<readonly Check[]> => {
  const broker = settings['realtime.broker']
  if (broker === undefined) return []
  const { hostname, port, protocol } = new URL(broker)
  const number = Number(port) || { 'amqp:': 5672, 'amqps:': 5671, 'kafka:': 9092 }[protocol] || 0
  const checks = await checkReach('broker', hostname, number, 'realtime.broker')
  // Events are stored without it.
  return checks.map(one => (one.code === 'fail' ? warn(one.name, one.message, one.advice) : one))
}
