import type { Logger } from '../../log/log.ts'
import { hasPassed } from './due.ts'

/** Figures of a line of the log. */
type Fields = Readonly<Record<string, unknown>>

/** Something that keeps failing, reported when it begins, once a minute while it lasts, and when it is over. */
export type Outage = {
  /** It failed. @param fields of the lines, besides the reason */
  failed(reason: string, fields?: Fields): void
  /** It succeeded. */
  worked(): void
  /** Work is retried from now on: the outage ends when it succeeds, or after a minute without a failure. */
  mayWork(): void
  /** To be called again and again. */
  remind(): void
  /** Since when (ms since the epoch), and why it failed last; undefined while it works. */
  readonly now: { readonly since: number; readonly reason: string } | undefined
}

/** What the lines say, without the reason. */
export type OutageWords = {
  /** @default warn */
  readonly level?: 'warn' | 'error'
  readonly begins: string
  readonly lasts: string
  /** @default no line */
  readonly ends?: string
}

export type OutageOptions = {
  readonly log: Logger
  readonly now: () => number
  readonly words: OutageWords
  /** Figures of the lines, for an outage that has lasted so long. @default its seconds, as `failingSeconds` */
  readonly toFields?: (seconds: number) => Fields
}

const remindEveryMs = 60_000

export const createOutage = ({
  log,
  now,
  words,
  toFields = failingSeconds => ({ failingSeconds }),
}: OutageOptions): Outage => {
  const level = words.level ?? 'warn'
  type Lasting = { readonly since: number; saidAt: number; failedAt: number; reason: string; fields: Fields }
  let lasting: Lasting | undefined
  let mayBeOver = false

  const figures = ({ since }: Lasting): Fields => toFields(Math.max(0, Math.round((now() - since) / 1_000)))
  const say = (outage: Lasting, message: string): void => {
    outage.saidAt = now()
    log[level]({ reason: outage.reason, ...outage.fields, ...figures(outage) }, message)
  }
  const end = (): void => {
    if (lasting !== undefined && words.ends !== undefined) log.info(figures(lasting), words.ends)
    lasting = undefined
  }
  return {
    failed: (reason, fields = {}) => {
      mayBeOver = false
      const at = now()
      if (lasting !== undefined) {
        Object.assign(lasting, { reason, fields, failedAt: at })
        return
      }
      lasting = { since: at, saidAt: at, failedAt: at, reason, fields }
      say(lasting, words.begins)
    },
    worked: end,
    mayWork: () => {
      mayBeOver = true
    },
    remind: () => {
      if (lasting === undefined) return
      if (mayBeOver && hasPassed(now(), lasting.failedAt, remindEveryMs)) end()
      else if (hasPassed(now(), lasting.saidAt, remindEveryMs)) say(lasting, words.lasts)
    },
    get now() {
      return lasting && { since: lasting.since, reason: lasting.reason }
    },
  }
}
