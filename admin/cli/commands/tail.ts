import { setTimeout as sleep } from 'node:timers/promises'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { escapeJsonControls } from '../../../src/text/control-characters.ts'
import { RpcUnreachable } from '../../client/errors.ts'
import { rpcCommand } from '../command/command.ts'
import { createNews, followLive, type LiveMessage } from '../events/live.ts'
import { toLiveText } from '../events/live-view.ts'
import { styleError } from '../print/style.ts'
import { printLine } from '../print/terminal.ts'

/** Between two attempts to reach a server that went away, in ms. */
const retryMs = 1_000

/** What the server says once a second. */
type Figures = { readonly isSampled: boolean; readonly notLookedAt?: number; readonly problem?: string | null }

export const commands = {
  tail: rpcCommand({
    summary: 'Events as they come, and refused ones with their reason.',
    description:
      'The refused ones that the server still has come first; Ctrl-C ends. In a pipe, or with --json, each is a line of JSON. Above 50 events a second a sample is shown. Needs the roles view and read.',
    examples: [
      'sluice tail',
      "sluice tail Order 'Page*'",
      `sluice tail --where 'status >= 500 and path ~ "/api"'`,
      'sluice tail --rejected',
      'sluice tail Order --text hat --limit 1 --json',
    ],
    args: { type: Args.string({ multiple: true, description: 'event type; * matches any characters' }) },
    flags: {
      text: Flags.string({ summary: 'text in the type, the fields, or the body', helpValue: 'TEXT' }),
      where: Flags.string({
        summary: 'of whose fields this is true: field op value, and, or, not',
        helpValue: 'EXPRESSION',
        exclusive: ['rejected'],
      }),
      rejected: Flags.boolean<boolean>({ summary: 'refused ones only', default: false, exclusive: ['accepted'] }),
      accepted: Flags.boolean<boolean>({ summary: 'taken ones only', default: false }),
      limit: Flags.integer({ char: 'n', summary: 'end after so many', min: 1, helpValue: 'COUNT' }),
    },
    run: async ({ flags, words, address, output, logToStderr }) => {
      const where = await address()
      const { stdout } = process
      const isText = output === 'table' && stdout.isTTY
      const query = new URLSearchParams(words.map((type): [string, string] => ['type', type]))
      if (flags.text !== undefined) query.set('text', flags.text)
      if (flags.where !== undefined) query.set('where', flags.where)
      if (flags.rejected || flags.accepted) query.set('events', flags.rejected ? 'rejected' : 'accepted')
      const stop = new AbortController()
      const onInterrupt = (): void => stop.abort()
      process.once('SIGINT', onInterrupt)
      // The reader of the pipe may have seen enough.
      stdout.once('error', onInterrupt)
      let left = flags.limit ?? Number.POSITIVE_INFINITY
      let isSampled = false
      let told: string | null = null
      const isNew = createNews()
      const show = (message: LiveMessage): void => {
        if (message.event === 'figures') {
          const { isSampled: isNow, notLookedAt = 0, problem = null } = JSON.parse(message.data) as Figures
          if (problem !== null && problem !== told) logToStderr(styleError('yellow', `where: ${problem}`))
          told = problem
          if (notLookedAt > 0) {
            logToStderr(styleError('yellow', `${notLookedAt} events are too large for the filter: not looked at.`))
          }
          if (isNow && !isSampled) logToStderr(styleError('yellow', 'More than 50 events a second: a sample is shown.'))
          isSampled = isNow
          return
        }
        const text = isText ? toLiveText(message, stdout.columns) : toLine(message)
        if (text === undefined || left <= 0) return
        printLine(text)
        left--
      }
      try {
        let hasAnswered = false
        while (left > 0) {
          try {
            for await (const message of followLive(where, query, stop.signal)) {
              hasAnswered = true
              if (isNew(message)) show(message)
              if (left <= 0) break
            }
            if (left > 0) logToStderr(styleError('yellow', `${where.url} has ended; waiting for it`))
          } catch (error) {
            if (stop.signal.aborted) break
            if (!(error instanceof RpcUnreachable) || !hasAnswered) throw error
          }
          if (left > 0) await sleep(retryMs, undefined, { signal: stop.signal })
        }
      } catch (error) {
        if (!stop.signal.aborted) throw error
      } finally {
        process.off('SIGINT', onInterrupt)
      }
      // Each was written as a line of its own already.
      return undefined
    },
  }),
}

/** With its kind in front; the rest as the server wrote it. */
const toLine = ({ event, data }: LiveMessage): string | undefined =>
  event === 'accepted' || event === 'rejected' ? `{"kind":"${event}",${escapeJsonControls(data.slice(1))}` : undefined
