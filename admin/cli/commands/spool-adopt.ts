import { resolve } from 'node:path'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { settingsCommand, yesFlag } from '../command/command.ts'
import { showDrain, tellDrained } from '../server/drain.ts'
import { isRemoteLog } from '../spool/adopt-remote.ts'
import { adoptRemoteLog, createTellingLog } from '../spool/adopt-remote-log.ts'

export const commands = {
  'spool:adopt': settingsCommand({
    summary: 'Bring the events of a lost collector to the file system, from its spool.',
    description:
      'DIR is the spool of a collector that is gone: its volume, mounted here, or a copy of it. Delivery continues under its id and ledger, so that each event arrives exactly once: in the file system, directory, layout and format that the spool remembers. If the settings name another file system, nothing is sent and both are reported; --into settings uses that of the settings. The spool accepts no events any more, also if its collector returns. The command may be interrupted and repeated. Exit code 0 when nothing is left and DIR may be deleted, 1 when something is left, which is named. No server is needed, and none may run on DIR. With the URL of a log (collector.ack replicated), hdfs://HOST/DIRECTORY/_log/ID or s3://BUCKET/DIRECTORY/_log/ID, it does what another collector would do: waits until the collector has sent no heartbeat for collector.replicated.takeover-seconds, takes over its log, and delivers its events.',
    examples: [
      'sluice spool adopt /mnt/lost/.diskpool',
      'sluice spool adopt /mnt/lost/.diskpool --config /etc/sluice.yaml --timeout 60 --json',
      'sluice spool adopt /mnt/lost/.diskpool --set data.dir=/mnt/lost --into settings',
      'sluice spool adopt hdfs://namenode:8020/events/_log/0123456789abcdef0123456789abcdef --config /etc/sluice.yaml --yes',
      'sluice spool adopt s3://bucket/prefix/events/_log/0123456789abcdef0123456789abcdef --config /etc/sluice.yaml --yes',
    ],
    args: {
      directory: Args.string({
        required: true,
        description: 'the spool of the collector that is gone, or the URL of its log',
      }),
    },
    flags: {
      into: Flags.string({
        summary: 'settings: into the place of the settings, whatever the spool remembers',
        options: ['settings'],
        helpValue: 'settings',
      }),
      force: Flags.boolean<boolean>({
        summary: 'take the log without waiting for a sign of life',
        default: false,
      }),
      yes: yesFlag,
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
      if (isRemoteLog(args.directory)) return await adoptRemoteLog(args.directory, settings, flags, output)
      const directory = resolve(args.directory)
      const [
        { adoptSpool, readPlace },
        { settleCopy },
        { createReturning },
        { withAdoptInto },
        { toSpoolSettings },
        { createRegistrar },
      ] = await Promise.all([
        import('../../../src/spool/tool/adopt.ts'),
        import('../../../src/spool/takeover/settle-copy.ts'),
        import('../../../src/spool/takeover/returning.ts'),
        import('../spool/adopt-destination.ts'),
        import('../../../src/spool/to-spool-settings.ts'),
        import('../../../src/rows/registrar/create-registrar.ts'),
      ])
      const log = createTellingLog(output)
      const registrar = await createRegistrar(settings, log)
      try {
        const remembered = await readPlace(directory)
        const report = await withAdoptInto(
          settings,
          remembered,
          flags.into === 'settings' ? 'settings' : 'remembered',
          async ({ output: its, place, ...places }) => {
            const spool = await adoptSpool(directory, {
              ...places,
              settings: () => ({ ...toSpoolSettings(settings), ...its }),
              log,
              fieldsOf: name => registrar.fields(name),
              // Other collectors would take its copy in HDFS over, or have done so.
              prepare: disk => settleCopy(disk, { ...places, outputDirectory: undefined }, log),
            })
            const returning = createReturning({ directory, spool, places, log })
            try {
              const read = async () => {
                await returning.beat()
                const status = await spool.drainStatus()
                return { ...status, problem: status.problem || returning.problem, realtime: { events: 0, types: {} } }
              }
              return { ...(await showDrain('Adopting', { read, timeoutMs: flags.timeout * 1_000 }, output)), place }
            } finally {
              await returning.close()
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
