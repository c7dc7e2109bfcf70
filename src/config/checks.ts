import { isLoopbackHost } from '../http/origin/hosts.ts'
import { checkTables } from './check-tables.ts'
import { clusterAt, clustersOf } from './clusters.ts'
import type { Settings } from './table.ts'

/** Mistakes that no single setting shows: settings that need, or exclude, one another. */
export const checkTogether = (settings: Settings): readonly string[] => [
  ...checkTls(settings, 'server'),
  ...checkTls(settings, 'admin'),
  ...checkExposure(settings),
  ...checkScribe(settings),
  ...checkPorts(settings),
  ...checkOutput(settings),
  ...checkReplicated(settings),
  ...checkCallers(settings),
  ...checkClusters(settings),
  ...checkRest(settings),
  ...checkWindows(settings),
  ...checkRegistrar(settings),
]

/** What a window may be whatever a reader may hold: the least. */
const usualWindowBytes = 128 * 2 ** 20

/** A reader holds rows as well, and is ended when it takes more than its memory. */
const checkWindows = (settings: Settings): readonly string[] => {
  const { 'gateway.max-window-bytes': window, 'gateway.reader-memory-bytes': memory } = settings
  if (window <= Math.max(usualWindowBytes, memory / 2)) return []
  return [
    `gateway.max-window-bytes ${window} is more than half of gateway.reader-memory-bytes ${memory}: raise that to at least ${2 * window}, or lower the window`,
  ]
}

const checkRegistrar = (settings: Settings): readonly string[] => {
  const problems: string[] = []
  if (settings['registrar.url'] !== undefined && settings['registrar.path'] !== undefined) {
    problems.push('registrar.path excludes registrar.url: schemas are read from one place')
  }
  return problems
}

const checkTls = (settings: Settings, listener: 'server' | 'admin'): readonly string[] => {
  const hasCert = settings[`${listener}.tls.cert`] !== undefined
  const hasKey = settings[`${listener}.tls.key`] !== undefined
  if (hasCert === hasKey) return []
  const [given, missing] = hasCert ? ['cert', 'key'] : ['key', 'cert']
  return [`${listener}.tls.${missing} is needed with ${listener}.tls.${given}`]
}

/**
 * Access to the gateway or the management listener means reading and changing everything, so tokens must guard them.
 */
const checkExposure = (settings: Settings): readonly string[] => {
  if (settings['auth.tokens'] !== undefined) return []
  const problems: string[] = []
  const hasGateway = settings.services.includes('gateway')
  const own = settings['gateway.port'] !== undefined
  const gatewayKey = own ? 'gateway.host' : 'server.host'
  const gatewayHost = settings[gatewayKey]
  if (hasGateway && gatewayHost !== undefined && !isLoopbackHost(gatewayHost)) {
    problems.push(
      `${gatewayKey} ${gatewayHost} would show the gateway to the network without a token: set auth.tokens${
        own ? '' : ', give the gateway a listener of its own with gateway.port, or leave it out of services'
      }`,
    )
  }
  if (!isLoopbackHost(settings['admin.host'])) {
    problems.push(
      `admin.host ${settings['admin.host']} would show the management to the network without a token: set auth.tokens`,
    )
  }
  if (settings['collector.auth'] === 'token') problems.push('collector.auth token needs auth.tokens')
  return problems
}

/** The protocol has no place for a token: where events need one, only this machine may come without. */
const checkScribe = (settings: Settings): readonly string[] => {
  const host = settings['collector.scribe.host']
  const isOpen = settings.services.includes('collector') && settings['collector.scribe.enabled']
  if (!isOpen || settings['collector.auth'] !== 'token' || isLoopbackHost(host)) return []
  return [
    `collector.scribe.host ${host} would take events from the network without a token, and collector.auth wants one: use a loopback address, or set collector.scribe.enabled=false`,
  ]
}

/** Callers that are authenticated elsewhere: their roles are rules of the token file. */
const checkCallers = (settings: Settings): readonly string[] => {
  const problems = (['auth.kerberos.keytab', 'auth.proxy-header'] as const)
    .filter(key => settings[key] !== undefined && settings['auth.tokens'] === undefined)
    .map(key => `auth.tokens is needed with ${key}: its rules say who may do what`)
  const hasHeader = settings['auth.proxy-header'] !== undefined
  const hasProxies = settings['auth.trusted-proxies'].length > 0
  if (hasHeader && !hasProxies) {
    problems.push('auth.trusted-proxies is needed with auth.proxy-header: anybody could send that header')
  }
  if (hasProxies && !hasHeader) problems.push('auth.proxy-header is needed with auth.trusted-proxies')
  return problems
}

/** How this server and its callers are known to clusters. */
const checkClusters = (settings: Settings): readonly string[] => {
  const { 'namenode.kerberos.principal': principal, 'namenode.kerberos.keytab': keytab } = settings
  const problems: string[] = []
  if ((principal === undefined) !== (keytab === undefined)) {
    const [given, missing] = principal === undefined ? ['keytab', 'principal'] : ['principal', 'keytab']
    problems.push(`namenode.kerberos.${missing} is needed with namenode.kerberos.${given}`)
  }
  if (keytab !== undefined && settings['namenode.url'] === undefined) {
    problems.push('namenode.url is needed with namenode.kerberos.keytab')
  }
  problems.push(...checkSpellings(settings))
  for (const { path, from, url, kerberos, user, token, doas } of clustersOf(settings)) {
    const name = from === 'namenode' ? 'namenode.' : `${path} of ${from}: `
    const hasKerberos = kerberos !== undefined || (from === 'namenode' && keytab !== undefined)
    if (hasKerberos && (token !== undefined || user !== undefined)) {
      problems.push(
        `${name}${token === undefined ? 'user' : 'token'} excludes ${name}kerberos: one says who this server is`,
      )
    }
    if (doas !== 'caller') continue
    if (!url.startsWith('hdfs:')) problems.push(`${name}doas caller needs HDFS: the local file system has no users`)
    else if (token !== undefined || !(hasKerberos || user !== undefined)) {
      problems.push(`${name}doas caller needs ${name}kerberos or ${name}user: with a token HDFS knows no other user`)
    }
    if (settings['auth.tokens'] === undefined) {
      problems.push(`${name}doas caller needs auth.tokens: without it anybody could say who he is`)
    }
  }
  return problems
}

/** The default cluster is named once, in one spelling. */
const checkSpellings = (settings: Settings): readonly string[] =>
  settings['namenode.url'] !== undefined && settings.clusters.some(({ path }) => path === '/')
    ? ['clusters names the default cluster at /, and so does namenode.url: use one of them']
    : []

const checkOutput = (settings: Settings): readonly string[] => {
  const format = settings['collector.output.format']
  const problems: string[] = []
  if (format === 'sequencefile' && settings['collector.output.compression'] === 'lzf') {
    problems.push(
      'collector.output.compression lzf cannot be used with collector.output.format sequencefile, because Hadoop has no codec of that name: use gzip, deflate or zstd',
    )
  }
  if (format === 'parquet' && ['deflate', 'lzf'].includes(settings['collector.output.compression'])) {
    problems.push(
      `collector.output.compression ${settings['collector.output.compression']} cannot be used with collector.output.format parquet: use zstd or gzip`,
    )
  }
  problems.push(...checkTables(settings))
  if (format !== 'jsonl' && !settings['collector.output.envelope']) {
    problems.push(
      `collector.output.envelope false cannot be used with collector.output.format ${format}: only lines of jsonl can do without an envelope`,
    )
  }
  return problems
}

/**
 * The log is then beside the event files: in files that stay open on several DataNodes, which only HDFS' own protocol
 * supports, or in objects.
 */
const checkReplicated = (settings: Settings): readonly string[] => {
  if (settings['collector.ack'] !== 'replicated' || !settings.services.includes('collector')) return []
  const directory = settings['collector.event-output-directory']
  const { 'collector.replicated.min': min, 'collector.replicated.replication': replication } = settings
  const { url, protocol, from } = clusterAt(settings, directory)
  const problems: string[] = []
  if (url.startsWith('file:')) {
    problems.push(
      `collector.ack replicated needs HDFS or an object store, and collector.event-output-directory ${directory} is on ${url}: a local directory has no other machine that could hold the log. Set namenode.url, or collector.ack to fsync`,
    )
  } else if (protocol === 'webhdfs') {
    problems.push(
      `collector.ack replicated needs HDFS' own protocol: WebHDFS cannot sync a file that stays open. Set ${from === 'namenode' ? 'namenode.protocol' : `protocol of the cluster of ${directory}`} to auto or native`,
    )
  }
  if (min > replication) {
    problems.push(
      `collector.replicated.min ${min} is more than collector.replicated.replication ${replication}: no event could ever be acknowledged`,
    )
  }
  return problems
}

const checkPorts = (settings: Settings): readonly string[] => {
  const listeners = [
    { key: 'server.port', host: settings['server.host'], port: settings['server.port'] },
    { key: 'admin.port', host: settings['admin.host'], port: settings['admin.port'] },
    { key: 'gateway.port', host: settings['gateway.host'], port: settings['gateway.port'] ?? 0 },
    {
      key: 'collector.scribe.port',
      host: settings['collector.scribe.host'],
      port:
        settings['collector.scribe.enabled'] && settings.services.includes('collector')
          ? settings['collector.scribe.port']
          : 0,
    },
  ].filter(listener => listener.port !== 0)
  return listeners.flatMap((one, index) =>
    listeners
      .slice(0, index)
      .filter(other => other.port === one.port && other.host === one.host)
      .map(other => `${one.key} and ${other.key} are both ${one.port} on ${one.host ?? ''}`),
  )
}

const checkRest = (settings: Settings): readonly string[] => {
  const problems: string[] = []
  if (!vendorForm.test(settings['admin.vendor'])) {
    problems.push(
      'admin.vendor must be the start of a JMX domain: 1 to 100 characters, none of : * ? " or a control character',
    )
  }
  if (settings.services.length === 0) problems.push('services must name collector, gateway or both')
  if (settings['gateway.host'] !== undefined && settings['gateway.port'] === undefined) {
    problems.push('gateway.port is needed with gateway.host')
  }
  if (settings['namenode.hadoop-conf'] !== undefined && settings['namenode.url'] === undefined) {
    problems.push('namenode.url is needed with namenode.hadoop-conf')
  }
  if (settings['namenode.webhdfs.url'].length > 0 && settings['namenode.url'] === undefined) {
    problems.push('namenode.url is needed with namenode.webhdfs.url')
  }
  if (settings['realtime.events'].length > 0 && settings['realtime.broker'] === undefined) {
    problems.push('realtime.broker is needed with realtime.events')
  }
  return problems
}

/** The part before the colon of every bean's name; a wildcard would make a pattern of it. */
const vendorForm = /^[^:*?"\p{Cc}]{1,100}$/u
