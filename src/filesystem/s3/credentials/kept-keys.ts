import type { AwsKeys, KeySource } from './aws-keys.ts'

/** Keys that are kept for as long as they are good. */
export type KeptKeys = {
  /** Rejects with an Error that says where keys were looked for. */
  current(): Promise<AwsKeys>
  /** They were refused: the next call fetches new ones. */
  forget(keys: AwsKeys): void
}

/**
 * Renewed in the background when they expire within the first span; callers wait for the renewal when they expire
 * within the second.
 */
const renewMs = 10 * 60_000
const tooLateMs = 60_000
/** Between two attempts in the background that fail. */
const againMs = 10_000

/**
 * Keys of the first source that has some. That one is kept to.
 * @param now ms since the epoch
 */
export const createKeptKeys = (sources: readonly KeySource[], now: () => number = Date.now): KeptKeys => {
  let kept: AwsKeys | undefined
  let source: KeySource | undefined
  let loading: Promise<AwsKeys> | undefined
  let failedAt = Number.NEGATIVE_INFINITY

  const find = async (): Promise<AwsKeys> => {
    const reasons: string[] = []
    for (const one of source ? [source] : sources) {
      const found = await one.load().catch((error: unknown) => {
        throw new Error(`${one.name}: ${toReason(error)}`)
      })
      if (found === undefined) {
        reasons.push(one.name)
        continue
      }
      source = one
      kept = found
      return found
    }
    throw new Error(`no credentials: looked at ${reasons.join(', ')}`)
  }
  const load = (): Promise<AwsKeys> => {
    loading ??= find().finally(() => {
      loading = undefined
    })
    return loading
  }

  return {
    current: async () => {
      const left = kept === undefined ? 0 : (kept.expiresAt ?? Number.POSITIVE_INFINITY) - now()
      if (kept === undefined || left <= tooLateMs) return await load()
      if (left <= renewMs && now() - failedAt >= againMs) {
        // They are good for a while: the caller does not wait, and a failure is for the next one.
        load().catch(() => {
          failedAt = now()
        })
      }
      return kept
    },
    forget: keys => {
      if (kept === keys) kept = undefined
    },
  }
}

/** What comes behind `Cannot get credentials for "s3": ` and the like. */
const toReason = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/^Cannot [^"]*"[^"]*": /, '') : String(error)
