import type { Settings } from '../../../../src/config/table.ts'
import { type Check, fail, ok, toReason, warn, within } from './check.ts'
import { checkDisk } from './disk.ts'
import { checkNameNode, checkOutput } from './file-system.ts'
import { checkMachine } from './machine.ts'
import { checkCertificate, checkPort, checkReach } from './network.ts'

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
  for (const key of ['server.tls.cert', 'admin.tls.cert'] as const) {
    const path = settings[key]
    if (path !== undefined) yield await checkCertificate(key, path)
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
  if (settings['auth.kerberos.keytab'] === undefined && settings['namenode.kerberos.keytab'] === undefined) return []
  const name = 'kerberos'
  try {
    // Its name as a value: it is an optional package.
    const specifier: string = 'kerberos'
    await import(specifier)
    return [ok(name, 'its package is installed')]
  } catch (error) {
    return [fail(name, toReason(error), 'Install it beside Sluice: `npm install kerberos`.')]
  }
}

async function* checkFileSystems(settings: Settings): AsyncGenerator<Check, void, undefined> {
  // A local one is in data.dir, which was looked at.
  if (settings['namenode.url'] === undefined) return
  const checks: Check[] = []
  for (const url of settings['namenode.webhdfs.url'])
    checks.push(...(await checkNameNode(url, settings['namenode.user'])))
  const isActive = checks.some(({ name, code }) => name.endsWith('WebHDFS') && code === 'ok')
  // One of several is enough: a standby, or the port that another version has.
  yield* checks.map(one => (isActive && one.code === 'fail' ? warn(one.name, one.message, one.advice) : one))
  if (isActive) yield* await checkOutputOf(settings)
  else
    yield fail(
      'file system',
      'no active NameNode',
      'Mend the first of the above; nothing else can be tried until then.',
    )
}

const checkOutputOf = async (settings: Settings): Promise<readonly Check[]> => {
  const [{ createNameSpace }, { createClusterTokens }] = await Promise.all([
    import('../../../../src/filesystem/name-space.ts'),
    import('../../../../src/kerberos/cluster-tokens.ts'),
  ])
  try {
    const tokens = await createClusterTokens(settings, { info: () => {}, warn: () => {} })
    try {
      const fileSystem = await within(createNameSpace(settings, tokens.of))
      try {
        return await checkOutput(fileSystem, settings['collector.event-output-directory'])
      } finally {
        await fileSystem.close()
      }
    } finally {
      await tokens.close()
    }
  } catch (error) {
    return [
      fail('file system', toReason(error), 'Mend what it names; `sluice config` shows where each setting comes from.'),
    ]
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
