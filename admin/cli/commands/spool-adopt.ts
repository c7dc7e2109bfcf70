import { resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { settingsCommand } from '../command/command.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { showDrain, tellDrained } from '../server/drain.ts'

export const commands = {
  'spool:adopt': settingsCommand({
    summary: 'Bring the events of a lost collector to the file system, from its spool.',
    description:
      'DIR is the spool of a collector that is gone: its volume, mounted here, or a copy of it. It is gone on with under its own id and ledger, so that every event gets to its place once: into the file system, directory, layout and format that the spool remembers. Where the settings lead to another file system, nothing is sent and both are named; --into settings decides for the settings. It takes no events any more, also when its collector comes back. It can be cut short anywhere, and called again. Exit code 0 when nothing is left and DIR may be deleted, 1 when something is left, which is named. No server is needed, and none may run on DIR.',
    examples: [
      'sluice spool adopt /mnt/lost/.diskpool',
      'sluice spool adopt /mnt/lost/.diskpool --config /etc/sluice.yaml --timeout 60 --json',
      'sluice spool adopt /mnt/lost/.diskpool --set data.dir=/mnt/lost --into settings',
    ],
    args: { directory: Args.string({ required: true, description: 'the spool of the collector that is gone' }) },
    flags: {
      into: Flags.string({
        summary: 'settings: into the place of the settings, whatever the spool remembers',
        options: ['settings'],
        helpValue: 'settings',
      }),
      timeout: Flags.integer({
        summary: 'seconds to wait for the end',
        helpValue: 'SECONDS',
        default: 3_600,
        min: 0,
        max: 86_400,
      }),
    },
    run: async ({ args, flags, settings: readSettings, ...output }) => {
      const settings = await readSettings()
      const directory = resolve(args.directory)
      const [
        { adoptSpool, readPlace },
        { withdrawForGood },
        { withAdoptInto },
        { toSpoolSettings },
        { createRegistrar },
      ] = await Promise.all([
        import('../../../src/spool/tool/adopt.ts'),
        import('../spool/withdraw-for-good.ts'),
        import('../spool/adopt-destination.ts'),
        import('../../../src/spool/to-spool-settings.ts'),
        import('../../../src/rows/registrar/create-registrar.ts'),
      ])
      const tell = (mark: string) => (fields: object, message: string) => {
        const { file, err } = fields as { readonly file?: string; readonly err?: Error }
        const detail = [file, err?.message].filter(part => part !== undefined).join(': ')
        output.logToStderr(toSafeText(`${mark} ${message}${detail === '' ? '' : ` (${detail})`}`))
      }
      const log = { debug: () => {}, info: () => {}, warn: tell(marks.warn()), error: tell(marks.bad()) }
      const registrar = await createRegistrar(settings, log)
      try {
        const remembered = await readPlace(directory)
        const report = await withAdoptInto(
          settings,
          remembered,
          flags.into === 'settings' ? 'settings' : 'remembered',
          async ({ fileSystem, urlOf, mountPoints, output: its, place }) => {
            const spool = await adoptSpool(directory, {
              fileSystem,
              urlOf,
              settings: () => ({ ...toSpoolSettings(settings), ...its }),
              log,
              fieldsOf: name => registrar.fields(name),
              prepare: disk => withdrawForGood(disk, { fileSystem, urlOf, mountPoints }, log),
            })
            try {
              const read = async () => ({ ...(await spool.drainStatus()), realtime: { events: 0, types: {} } })
              return { ...(await showDrain('Adopting', { read, timeoutMs: flags.timeout * 1_000 }, output)), place }
            } finally {
              await spool.close()
            }
          },
        )
        tellDrained(
          report,
          { verb: `Adopted collector ${report.collectorId}`, waits: 'adopt the spool once more', place: report.place },
          output,
        )
        return report
      } finally {
        registrar.close()
      }
    },
  }),
}
