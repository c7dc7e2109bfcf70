import type { Settings } from '../../../src/config/table.ts'
import type { Logger } from '../../../src/log/log.ts'
import type { CommandInput } from '../command/command.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural } from '../print/units.ts'
import { adoptRemote, type RemoteReport } from './adopt-remote.ts'

type Output = Pick<CommandInput<unknown, unknown>, 'log' | 'logToStderr' | 'confirm' | 'fail'>

/** How often a line says how far it is. */
const lineMs = 5_000

/** Warnings and errors of what works here, as lines for people. */
export const createTellingLog = ({ logToStderr }: Pick<Output, 'logToStderr'>): Logger => {
  const tell = (mark: string) => (fields: object, message: string) => {
    const { file, err } = fields as { readonly file?: string; readonly err?: Error }
    const detail = [file, err?.message].filter(part => part !== undefined).join(': ')
    logToStderr(toSafeText(`${mark} ${message}${detail === '' ? '' : ` (${detail})`}`))
  }
  return { debug: () => {}, info: () => {}, warn: tell(marks.warn()), error: tell(marks.bad()) }
}

/** `sluice spool adopt hdfs://…`, `s3://…`: asks, shows progress, and reports what is left. @throws CliError */
export const adoptRemoteLog = async (
  url: string,
  settings: Settings,
  { force, yes, timeout }: { readonly force: boolean; readonly yes: boolean; readonly timeout: number },
  output: Output,
): Promise<RemoteReport> => {
  const { log, logToStderr, confirm, fail } = output
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = (text: string): void => {
    if (performance.now() - toldAt < lineMs) return
    toldAt = performance.now()
    logToStderr(toSafeText(text))
  }
  const { createRegistrar } = await import('../../../src/rows/registrar/create-registrar.ts')
  const telling = createTellingLog(output)
  const registrar = await createRegistrar(settings, telling)
  try {
    const report = await adoptRemote(
      url,
      {
        settings,
        log: telling,
        isForced: force,
        signal: AbortSignal.timeout(timeout * 1_000),
        fieldsOf: name => registrar.fields(name),
        confirm: () =>
          confirm(`Take ${toSafeText(url)}? A collector that still has it is fenced, and takes nothing more.`, yes),
        onSilent: (silentMs, takeoverMs) =>
          tell(`No sign of life for ${Math.round(silentMs / 1_000)} of ${Math.round(takeoverMs / 1_000)} s`),
      },
      {
        onStep: step => logToStderr(`Adopting: ${step}`),
        onStatus: ({ left, problem }) =>
          tell(`Adopting: ${plural(left.waiting.events, 'event')} left${problem === '' ? '' : `: ${problem}`}`),
      },
    )
    tellAdopted(report, { log, fail })
    return report
  } finally {
    registrar.close()
  }
}

const tellAdopted = (report: RemoteReport, { log, fail }: Pick<Output, 'log' | 'fail'>): void => {
  const { collectorId, events, left, lost, place, directory } = report
  log(toSafeText(`${marks.ok()} Adopted collector ${collectorId}: ${plural(events, 'event')} went to ${place}`))
  if (directory === null) return
  const named = lost.length === 0 ? '' : `, and ${plural(lost.length, 'segment')} lost (${lost.join(', ')})`
  fail(
    `${plural(left, 'file')} left in ${directory}${named}: \`sluice spool quarantine list --spool ${directory}\``,
    'left',
  )
}
