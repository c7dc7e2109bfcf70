import { seededRandom } from '../suites/crash-world.ts'

/** Everything that can go wrong, by its name in reports. */
export const faultNames = [
  'kill -9',
  'SIGSTOP',
  'name node stopped',
  'data node stopped',
  'safe mode',
  'standby',
  'HTTP 500',
  'HTTP 503',
  'time-out',
  'lost reply',
  'late request',
  'cut upload',
  'partition',
  'disk full',
  'ENOSPC',
  'EIO',
  'clock forwards',
  'clock backwards',
  'broker killed',
] as const

/** What goes wrong besides where callers prove by Kerberos who they are. */
export const kerberosFaultNames = [
  'KDC killed',
  'KDC silent',
  'KDC ahead',
  'KDC behind',
  'token revoked',
  'key changed',
  'tickets limited',
] as const

/** What an object store has nothing like, and the broker, which is not part of its runs. */
const ofHdfs: readonly FaultName[] = ['name node stopped', 'data node stopped', 'safe mode', 'standby', 'broker killed']

export type FaultName = (typeof faultNames)[number] | (typeof kerberosFaultNames)[number]

/** What is at fault: two faults of one part do not overlap. */
export type FaultyPart = 'server' | 'cluster' | 'network' | 'disk' | 'clock' | 'broker' | 'kerberos'

/** One fault. Times are in ms of a load of {@link spanMs}; a longer load stretches them. */
export type Fault = {
  readonly name: FaultName
  readonly part: FaultyPart
  readonly atMs: number
  readonly forMs: number
  /** 0 to 1, for what the fault itself has to choose. */
  readonly choice: number
}

/** Length of the load that times refer to. */
export const spanMs = 8_000

const partOf: Readonly<Record<FaultName, FaultyPart>> = {
  'kill -9': 'server',
  SIGSTOP: 'server',
  'name node stopped': 'cluster',
  'data node stopped': 'cluster',
  'safe mode': 'cluster',
  standby: 'network',
  'HTTP 500': 'network',
  'HTTP 503': 'network',
  'time-out': 'network',
  'lost reply': 'network',
  'late request': 'network',
  'cut upload': 'network',
  partition: 'network',
  'disk full': 'disk',
  ENOSPC: 'disk',
  EIO: 'disk',
  'clock forwards': 'clock',
  'clock backwards': 'clock',
  'broker killed': 'broker',
  'KDC killed': 'kerberos',
  'KDC silent': 'kerberos',
  'KDC ahead': 'kerberos',
  'KDC behind': 'kerberos',
  'token revoked': 'kerberos',
  'key changed': 'kerberos',
  'tickets limited': 'kerberos',
}

/** How many times each name is in the urn: kills meet everything else, and a Java process takes seconds to return. */
const weightOf = (name: FaultName): number => {
  if (name === 'kill -9') return 4
  return partOf[name] === 'cluster' || partOf[name] === 'broker' ? 1 : 2
}

const toUrn = (names: readonly FaultName[]): readonly FaultName[] =>
  names.flatMap(name => Array.from({ length: weightOf(name) }, () => name))

const urn = toUrn(faultNames)
/** A secure name node takes its orders from administrators with a ticket, and a ticket takes a process of Java. */
const secureUrn = toUrn(faultNames.filter(name => name !== 'safe mode'))
const storeUrn = toUrn(faultNames.filter(name => !ofHdfs.includes(name)))

const fewest = 4
const most = 8
const fewestOfKerberos = 2
const mostOfKerberos = 4

/**
 * Shortest and longest, in ms: files go to HDFS about once in a second, and the network has to fail just then; tokens and
 * tickets live for seconds, and have to end meanwhile.
 */
const lengthsOf = (part: FaultyPart): readonly [number, number] => {
  if (part === 'kerberos') return [1_000, 4_000]
  return part === 'network' ? [1_200, 3_500] : [300, 2_500]
}

/** How event files are written. */
export type Output = {
  readonly format: Format
  readonly compression: string
  readonly layout: string
  readonly envelope: boolean
}

export const formats = ['jsonl', 'native', 'sequencefile', 'parquet'] as const
export type Format = (typeof formats)[number]

/** Those that each format has. */
const compressions: Readonly<Record<Format, readonly string[]>> = {
  jsonl: ['none', 'gzip', 'deflate', 'zstd', 'lzf'],
  native: ['none', 'gzip', 'deflate', 'zstd', 'lzf'],
  sequencefile: ['none', 'gzip', 'deflate', 'zstd'],
  parquet: ['none', 'gzip', 'zstd'],
}

const acks = ['replicated', 'fsync', 'replicated, local'] as const

/** All that a seed decides. */
export type Schedule = {
  readonly output: Output
  /** Edge threads of the server. */
  readonly threads: number
  /** Where an event is safe before it is acknowledged; `local` of the last one: on this disk alone while HDFS is away. */
  readonly ack: 'fsync' | 'replicated' | 'replicated, local'
  /** In the order of their beginnings. */
  readonly faults: readonly Fault[]
}

export type ScheduleOptions = {
  /** Whether there is Kerberos to fail, too. @default false */
  readonly isSecure?: boolean
  /** Whether files go to an object store, and not to HDFS. @default false */
  readonly isStore?: boolean
  /** In place of the one that the seed draws. */
  readonly format?: Format | undefined
}

/** The same whenever and wherever it is asked. */
export const createSchedule = (
  seed: number,
  { isSecure = false, isStore = false, ...options }: ScheduleOptions = {},
): Schedule => {
  const random = seededRandom(seed)
  const drawnFormat = formats[Math.floor(random() * formats.length)] ?? 'jsonl'
  const format = options.format ?? drawnFormat
  const usable = compressions[format]
  const compression = usable[Math.floor(random() * usable.length)] ?? 'none'
  const count = fewest + Math.floor(random() * (most - fewest + 1))
  const drawn = draw(random, isSecure ? secureUrn : isStore ? storeUrn : urn, count)
  if (isSecure) {
    const more = fewestOfKerberos + Math.floor(random() * (mostOfKerberos - fewestOfKerberos + 1))
    drawn.push(...draw(random, kerberosFaultNames, more))
  }
  const output = {
    format,
    compression,
    layout: random() < 0.5 ? 'dated' : 'hive',
    // Only lines of JSON can do without one.
    envelope: random() < 0.5 || format !== 'jsonl',
  }
  // Whatever else a seed decides stays as it was.
  const ack = acks[seed % acks.length] ?? 'fsync'
  return { output, threads: seed % 2 === 0 ? 1 : 3, ack, faults: drawn.sort((a, b) => a.atMs - b.atMs) }
}

const draw = (random: () => number, names: readonly FaultName[], count: number): Fault[] =>
  Array.from({ length: count }, (): Fault => {
    const name = names[Math.floor(random() * names.length)] ?? 'kill -9'
    const part = partOf[name]
    const [shortestMs, longestMs] = lengthsOf(part)
    const forMs = Math.round(shortestMs + random() * (longestMs - shortestMs))
    const atMs = Math.round(random() * (spanMs - forMs))
    return { name, part, atMs, forMs, choice: random() }
  })

/** A fault as one reads it: `EIO 1.2 s + 0.4 s`. */
export const describeFault = ({ name, atMs, forMs }: Fault): string =>
  `${name} ${(atMs / 1_000).toFixed(1)} s + ${(forMs / 1_000).toFixed(1)} s`
