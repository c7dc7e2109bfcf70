import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { escapeJsonControls } from '../../../src/text/control-characters.ts'
import { spoolCommand } from '../command/command.ts'
import { createOutput } from '../print/output.ts'
import { withProgress } from '../print/progress.ts'
import { marks, style } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount, toCountOrDash, toDateText } from '../print/units.ts'
import { openDisk, withOfflineSpool } from '../spool/local-spool.ts'
import { listSpool } from '../spool/spool-listing.ts'

export const commands = {
  'spool:dump': spoolCommand({
    hasJson: false,
    summary: 'Print the events of a spool as JSON lines.',
    description:
      'The lines can be posted again. Prints everything that waits, or the named parts: bucket files, quarantined pieces, 0000000001.log. Changes nothing. Unreadable parts are reported on standard error, with exit code 1.',
    examples: [
      'sluice spool dump | head -3',
      'sluice spool dump --source | jq \'select(.eventName == "PageView")\'',
      'sluice spool dump segment-7-0.damaged',
    ],
    args: { file: Args.string({ multiple: true, description: 'only these' }) },
    flags: {
      source: Flags.boolean<boolean>({ summary: 'print with each event where it is stored', default: false }),
      committed: Flags.boolean<boolean>({ summary: 'local copies of committed files too', default: false }),
      limit: Flags.integer({ char: 'n', summary: 'at most so many events', min: 1, helpValue: 'COUNT' }),
      json: Flags.boolean<boolean>({ summary: 'as always', default: false, hidden: true }),
    },
    run: async ({ words, flags, directory, logToStderr, fail }) => {
      const { disk } = await openDisk(await directory())
      const { dumpSpool } = await import('../../../src/spool/tool/dump.ts')
      const output = createOutput()
      let events = 0
      let problems = 0
      const onProblem = (source: string, problem: string): void => {
        problems++
        logToStderr(`${source}: ${problem}`)
      }
      const only = words.map(name => name.replace(/^(?:log|sealed|_quarantine|_taken)\//, ''))
      for await (const { source, line } of dumpSpool(disk, {
        ...(only.length > 0 ? { only } : {}),
        committed: flags.committed,
        onProblem,
      })) {
        const text = flags.source ? `{"source":${JSON.stringify(source)},${line.slice(1)}` : line
        await output.write(`${escapeJsonControls(text)}\n`)
        if (++events === flags.limit) break
      }
      await output.end()
      if (problems > 0)
        fail(`${plural(problems, 'part')} could not be read; ${plural(events, 'event')} could`, 'damaged')
    },
  }),

  'spool:list': spoolCommand({
    listsRows: true,
    summary: 'List the contents of a spool: segments, bucket files, quarantine.',
    description: 'Changes nothing; works beside a running server.',
    examples: ['sluice spool list', 'sluice spool list --spool /var/lib/sluice/.diskpool --output ndjson'],
    run: async ({ directory, log, table }) => {
      const { disk, holder } = await openDisk(await directory())
      const listing = await listSpool(disk, holder)
      log(`${listing.directory}  ${style('dim', `collector ${listing.collectorId ?? '–'}`)}`)
      log(holder === undefined ? style('dim', 'no server runs on it') : `${marks.ok()} in use by ${holder}`)
      if (!listing.flushEnabled) log(`${marks.warn()} flushing is disabled`)
      log('')
      if (listing.entries.length === 0) log('Nothing waits.')
      else
        table(listing.entries, [
          {
            title: 'STATE',
            cell: row => row.state,
            paint: (text, row) => (row.state === 'quarantined' || row.state === 'taken' ? style('yellow', text) : text),
          },
          { title: 'EVENTS', cell: row => toCountOrDash(row.events), align: 'right' },
          { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
          { title: 'SINCE', cell: row => (row.since === null ? '–' : toDateText(row.since)) },
          { title: 'FILE', cell: row => row.file.slice(row.file.indexOf('/') + 1), flexible: true },
          {
            title: 'GOES TO, OR WHY NOT',
            field: 'target',
            cell: row => row.reason ?? row.target?.slice(0, row.target.lastIndexOf('/')) ?? '',
            flexible: true,
          },
        ])
      return listing
    },
  }),

  'spool:replay': spoolCommand({
    summary: 'Append what can be read of damaged segments, and of files whose table is gone, to the spool again.',
    description:
      'The server must be stopped; its next start takes the events to the file system. A piece of which events are stored already is left alone, and so is what cannot be read: where it is a part of a piece, that stays in quarantine as `….rest`. Exit code 1 when something was left.',
    examples: ['sluice spool replay', 'sluice spool replay segment-7-4096.damaged --json'],
    args: { piece: Args.string({ multiple: true, description: 'names in quarantine; all such pieces without' }) },
    run: async ({ words, directory, settings, log, fail }) => {
      const { replayQuarantine } = await import('../../../src/spool/tool/replay.ts')
      const only = words.map(name => name.replace(/^_quarantine\//, ''))
      const pieces = await withProgress({ label: 'Replaying', format: toCount }, onProgress =>
        withOfflineSpool({ directory, settings }, spool =>
          replayQuarantine(spool, { ...(only.length > 0 ? { only } : {}), onProgress }),
        ),
      )
      for (const { name, events, problem } of pieces) {
        const text = problem === '' ? plural(events, 'event') : problem
        log(`${problem === '' ? marks.ok() : marks.warn()} ${toSafeText(`${name}: ${text}`)}`)
      }
      const events = pieces.reduce((sum, piece) => sum + piece.events, 0)
      const left = pieces.filter(({ problem }) => problem !== '').length
      if (pieces.length === 0) log('There is no damaged segment, and no file whose table is gone.')
      else log(`${plural(events, 'event')} appended; the next start of the server takes them on.`)
      if (left > 0) fail(`${plural(left, 'piece')} left in quarantine`, 'left')
      return { pieces, events }
    },
  }),

  'spool:verify': spoolCommand({
    summary: 'Check every byte of a spool: checksums, ledger, files.',
    description: 'Changes nothing; works beside a running server. Exit code 1 when something is damaged or missing.',
    examples: ['sluice spool verify', 'sluice spool verify --spool ./data/.diskpool --json'],
    run: async ({ directory, log, fail }) => {
      const { disk, holder } = await openDisk(await directory())
      const { verifySpool } = await import('../../../src/spool/tool/verify.ts')
      const { view, findings, ...sums } = await withProgress({ label: 'Checking' }, onProgress =>
        verifySpool(disk, { isHeld: holder !== undefined, onProgress }),
      )
      const check = {
        directory: view.directory,
        holder: holder ?? null,
        problems: findings.filter(({ level }) => level === 'problem').length,
        segments: view.segments.length,
        files: view.files.filter(({ state }) => state.at !== 'committed').length,
        ...sums,
        findings,
      }
      for (const { level, file, detail } of findings) {
        log(`${level === 'problem' ? marks.bad() : marks.warn()} ${toSafeText(`${file}: ${detail}`)}`)
      }
      const segments = `${plural(check.segments, 'segment')} with ${plural(check.segmentEvents, 'event')}`
      const files = `${plural(check.files, 'file')} with ${plural(check.fileEvents, 'event')}`
      const summary = `${segments}, ${files}, ${toBytes(check.checkedBytes)}`
      if (check.problems > 0) fail(`${plural(check.problems, 'problem')}; checked ${summary}`, 'damaged')
      log(`${marks.ok()} ${summary}: all is well`)
      return check
    },
  }),
}
