import * as Flags from '@oclif/core/flags'
import { localCommand } from '../command/command.ts'
import { readSettings, type SettingsFlags } from '../command/settings.ts'
import type { DoctorCheck } from '../doctor/check.ts'
import { outputFlag } from '../print/listing.ts'
import { marks, style } from '../print/style.ts'
import { textColumns, toSafeText, wrap } from '../print/text-width.ts'
import { plural } from '../print/units.ts'

export const commands = {
  doctor: localCommand({
    summary: 'Check step by step what a server here needs, and what to fix first.',
    description:
      'Settings, Node, ports, disk and the time of its sync, file descriptors, memory, certificates with their keys and chains, keytabs, clock, HDFS step by step with a small file, which DataNodes must sync where `collector.ack` is `replicated`, each mount, the catalog of tables, broker. Works without a server and beside one; the small file below _tmp is deleted again. Exit code 1 when something fails.',
    examples: [
      'sluice doctor',
      'sluice doctor --config /etc/sluice.yaml',
      'sluice doctor --set namenode.url=hdfs://namenode:8020 --output json',
    ],
    flags: {
      config: Flags.string({ summary: 'settings file', helpValue: 'FILE' }),
      set: Flags.string({ summary: 'one setting', helpValue: 'KEY=VALUE', multiple: true }),
      output: outputFlag,
    },
    run: async ({ flags, log, rows, fail }) => {
      const checks: DoctorCheck[] = []
      for await (const check of runChecks(flags)) {
        checks.push(check)
        for (const line of toLines(check)) log(line)
      }
      rows(checks)
      const failed = checks.filter(({ code }) => code === 'fail')
      const [first] = failed.length > 0 ? failed : checks.filter(({ code }) => code === 'warn')
      log('')
      if (first === undefined) log(`${marks.ok()} All is well`)
      else log(`Fix first: ${style('bold', toSafeText(first.name))}. ${toSafeText(first.advice)}`)
      if (failed.length > 0) fail(`${plural(failed.length, 'check')} failed`, 'unhealthy')
      return { code: failed.length > 0 ? 'fail' : first === undefined ? 'ok' : 'warn', first: first ?? null, checks }
    },
  }),
}

async function* runChecks(flags: SettingsFlags): AsyncGenerator<DoctorCheck, void, undefined> {
  const { fail, ok, warn } = await import('../doctor/check.ts')
  const config = await readSettings(flags).catch((error: unknown) => {
    if (error instanceof Error && 'problems' in error && Array.isArray(error.problems))
      return error.problems.map(String)
    throw error
  })
  if (Array.isArray(config)) {
    for (const problem of config) yield fail('settings', problem, 'Fix it; `sluice config` lists all settings.')
    return
  }
  for (const warning of config.warnings)
    yield warn('settings', warning, 'Fix its name, or remove it; `docs/reference/settings.md` lists all.')
  const changed = Object.values(config.sources).filter(source => source !== 'default').length
  yield ok('settings', `valid, ${changed} changed`)
  const { diagnose } = await import('../doctor/doctor.ts')
  yield* diagnose(config.settings)
}

const toLines = ({ name, code, message, advice }: DoctorCheck): readonly string[] => {
  const mark = code === 'ok' ? marks.ok() : code === 'warn' ? marks.warn() : marks.bad()
  const width = Math.max(20, textColumns() - 4)
  const [first = '', ...rest] = wrap(toSafeText(`${name}: ${message}`), width)
  const more = advice === '' ? [] : wrap(toSafeText(advice), width)
  return [`${mark} ${first}`, ...rest.map(line => `    ${line}`), ...more.map(line => `    ${style('dim', line)}`)]
}
