/**
 * Which way a cluster is spoken to, decided by why the other one failed:
 *
 *     no name node takes calls of its own protocol, or as who we are, and WebHDFS answers    all goes by WebHDFS
 *     data nodes want a protection that is not spoken here                                   bytes go by WebHDFS
 *     no data node of a file can be reached, and the file goes by WebHDFS                    bytes go by WebHDFS
 *
 * Where WebHDFS fails as well the cluster is down, which says nothing of the way. What was left is tried again after a
 * minute, and after twice as long each time that it fails, up to an hour. Each change is one line in the log.
 */
import { startTimeout } from '../runtime/timers.ts'
import { isNotSent, remoteOf } from './cluster/remote-exception.ts'
import { type FileSystem, FileSystemError } from './filesystem.ts'
import { SaslError } from './hdfs/tokens/digest-md5.ts'

/** Hears which way a cluster is spoken to, and why. */
export type WayLog = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

export type WayOptions = {
  readonly native: Pick<FileSystem, 'url' | 'probe'>
  readonly webHdfs: Pick<FileSystem, 'probe'>
  readonly log: WayLog
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
  /** How long name nodes may take to answer before WebHDFS is asked, in ms. @default 5 000 */
  readonly patienceMs?: number
}

/** One of two ways. */
export type WayName = 'native' | 'webHdfs'

/** The way of one cluster, for all on whose behalf it is asked. */
export type Way = {
  /** The way of a call at the name node. */
  forNames(): Promise<WayName>
  /** The way of the bytes of one file, whose outcome {@link Way.moved} or {@link Way.notMoved} hears. */
  forBytes(): Promise<WayName>
  /** Hears why a call failed. */
  failed(way: WayName, error: unknown): void
  moved(way: WayName): void
  /** True where the other way is worth a try for the same file. */
  notMoved(way: WayName, error: unknown): boolean
  /** The way and why, in words; empty until it was decided. */
  readonly words: string
}

/** How long a way that failed is left: at first, and at most. */
const firstLeaveMs = 60_000
const longestLeaveMs = 3_600_000

export const createWay = (options: WayOptions): Way => {
  const { native, webHdfs, log, now = () => performance.now(), patienceMs = 5_000 } = options
  const names = createLeave(now)
  const bytes = createLeave(now)
  /** Why bytes of a file could not be moved. The next one goes by WebHDFS, and shows whether that is for the way. */
  let suspicion: unknown
  let decided: WayName | undefined
  let deciding: Promise<WayName> | undefined
  let told = ''

  const tell = (): void => {
    const reason = decided === 'webHdfs' ? names.reason : bytes.reason
    const way = decided === 'webHdfs' ? 'webHdfs' : bytes.reason === undefined ? 'native' : 'bytes'
    if (told !== way) {
      const message = `${native.url} is spoken to by ${sentences[way]}`
      if (way === 'native') log.info({}, message)
      else log.warn({ err: reason }, message)
    }
    told = way
  }

  const ask = async (): Promise<WayName> => {
    const refused = await reasonOf(inTime(native.probe(), patienceMs))
    if (refused === undefined || !isOtherWay(refused)) names.forget()
    else if ((await reasonOf(webHdfs.probe())) === undefined) names.leave(refused)
    // Neither answers: it stays as it was, and where nothing was decided the next call asks again.
    else return decided ?? 'webHdfs'
    decided = names.reason === undefined ? 'native' : 'webHdfs'
    tell()
    return decided
  }
  const decide = (): Promise<WayName> => {
    deciding ??= ask().finally(() => {
      deciding = undefined
    })
    return deciding
  }
  const forNames = async (): Promise<WayName> => {
    if (decided === undefined) return await decide()
    if (decided === 'webHdfs' && names.isDue()) void decide()
    return decided
  }
  const leaveBytes = (reason: unknown): void => {
    suspicion = undefined
    bytes.leave(reason)
    tell()
  }

  return {
    forNames,
    forBytes: async () => {
      if ((await forNames()) === 'webHdfs' || suspicion !== undefined) return 'webHdfs'
      return bytes.isDue() ? 'native' : 'webHdfs'
    },
    failed: (way, error) => {
      if (way === 'native' && isOtherWay(error)) void decide()
    },
    moved: way => {
      if (way === 'webHdfs') {
        if (suspicion !== undefined) leaveBytes(suspicion)
        return
      }
      if (bytes.reason === undefined) return
      bytes.forget()
      tell()
    },
    notMoved: (way, error) => {
      if (way === 'webHdfs') suspicion = undefined
      if (way === 'webHdfs' || !isUnreachable(error)) return false
      if (error.cause instanceof SaslError) leaveBytes(error)
      else suspicion = error
      return true
    },
    get words() {
      const reason = decided === 'webHdfs' ? names.reason : bytes.reason
      return told === '' ? '' : `${sentences[told]}${reason instanceof Error ? `: ${reason.message}` : ''}`
    },
  }
}

const sentences: Readonly<Record<string, string>> = {
  native: 'its own protocol',
  webHdfs: 'WebHDFS',
  bytes: 'its own protocol for names, and by WebHDFS for bytes',
}

/** A way that was left, and until when. */
const createLeave = (now: () => number) => {
  let reason: unknown
  let until = Number.NEGATIVE_INFINITY
  let leaveMs = firstLeaveMs
  return {
    /** Why it was left; undefined where it is taken. */
    get reason() {
      return reason
    },
    leave: (why: unknown): void => {
      if (reason !== undefined) leaveMs = Math.min(leaveMs * 2, longestLeaveMs)
      reason = why
      until = now() + leaveMs
    },
    /** Whether it is to be tried: always where it was not left, else once in a while, by one at a time. */
    isDue: (): boolean => {
      if (now() < until) return false
      if (reason !== undefined) until = now() + leaveMs
      return true
    },
    forget: (): void => {
      reason = undefined
      until = Number.NEGATIVE_INFINITY
      leaveMs = firstLeaveMs
    },
  }
}

const reasonOf = (answer: Promise<void>): Promise<unknown> =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  )

/** The same, or an error once it is late. */
const inTime = async (answer: Promise<void>, ms: number): Promise<void> => {
  const late = Promise.withResolvers<never>()
  const timer = startTimeout(() => late.reject(new Error(`no answer within ${ms} ms`)), ms)
  try {
    await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether name nodes that refuse may take calls of WebHDFS: they did not answer, or do not take us like this. */
const isOtherWay = (error: unknown): boolean => {
  const remote = remoteOf(error)
  if (remote !== undefined) return /authentication is not enabled/.test(remote.message)
  return !(error instanceof FileSystemError) || error.code === 'unavailable'
}

const isUnreachable = (error: unknown): error is FileSystemError =>
  error instanceof FileSystemError &&
  error.code === 'unavailable' &&
  (error.cause instanceof SaslError || isNotSent(error.cause))
