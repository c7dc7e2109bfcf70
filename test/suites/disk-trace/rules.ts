import type { TraceEvent } from './trace.ts'
import { createVolatile } from './volatile.ts'

/** Whether a path matters to what is about to happen. */
type Matters = (path: string, event: TraceEvent) => boolean

/** What must be safe from a power cut when something is about to happen. */
export type Rule = {
  readonly name: string
  readonly before: (event: TraceEvent) => boolean
  /** Files whose bytes must be synced. */
  readonly files?: Matters
  /** Names, of files and directories, that must be synced into their directories. */
  readonly added?: Matters
  /** Names that must be gone from their directories for good. */
  readonly removed?: Matters
  /** What the ledger has noted and must not forget: a part of its entry. */
  readonly noted?: (event: TraceEvent) => string
}

const none: Matters = () => false

/**
 * Plays a trace.
 * @returns what was not safe, in words, and how often each rule was asked
 */
export const checkTrace = (
  events: readonly TraceEvent[],
  rules: readonly Rule[],
): { readonly violations: readonly string[]; readonly asked: Readonly<Record<string, number>> } => {
  const state = createVolatile()
  const violations = new Set<string>()
  const asked = Object.fromEntries(rules.map(({ name }) => [name, 0]))
  for (const event of events) {
    for (const { name, before, files = none, added = none, removed = none, noted } of rules) {
      if (!before(event)) continue
      asked[name] = (asked[name] ?? 0) + 1
      const report = (what: string, paths: readonly string[], matters: Matters): void => {
        for (const path of paths) if (matters(path, event)) violations.add(`${name}: ${what} ${path}`)
      }
      report('bytes of', state.files(), files)
      report('the name of', state.added(), added)
      report('the removal of', state.removed(), removed)
      const entry = noted?.(event)
      if (entry !== undefined && state.contents().some(content => content.includes(entry))) {
        violations.add(`${name}: what the ledger says of ${entry}`)
      }
    }
    state.apply(event)
  }
  return { violations: [...violations], asked }
}

/** Where the watched server has its spool and its embedded file system: several new directories deep. */
export const dataDirectory = 'a/data'
const spool = `${dataDirectory}/.diskpool`
const fs = `${dataDirectory}/fs`

const isIn =
  (...directories: readonly string[]) =>
  (path: string): boolean =>
    directories.some(directory => path.startsWith(`${directory}/`))
const isOne =
  (...paths: readonly string[]): Matters =>
  path =>
    paths.includes(path)
const either =
  (...all: readonly Matters[]): Matters =>
  (path, event) =>
    all.some(matters => matters(path, event))

const notes =
  (type: string) =>
  ({ operation, path, content }: TraceEvent): boolean =>
    operation === 'write' && /\/ledger(\.new)?$/.test(path) && content.includes(`"type":"${type}"`)

/** Directories on the way to the spool and to the root of the file system. */
const isFoundation = isOne('a', dataDirectory, spool, fs)
const isLedger = isOne(`${spool}/ledger`)
/** The files of the idempotency keys, and their directory. */
const isKeys = (path: string): boolean => path.startsWith(`${spool}/keys`)
/** Notes for people beside set-aside files are not a promise. */
const isSetAside: Matters = path => path.startsWith(`${spool}/_quarantine/`) && !path.endsWith('.reason')
/** Of the file system: a file that the entries are about. */
const isFileOfEntries: Matters = (path, { content }) => {
  const [, file] = /([^/]*\.jsonl)[^/]*$/.exec(path) ?? []
  return path.startsWith(`${fs}/`) && file !== undefined && content.includes(file)
}
/** A directory of the file system: traffic has one file at a time, so that each of them is on the way to it. */
const isDirectory: Matters = path => path.startsWith(`${fs}/`) && !/\.(jsonl.*|tmp)$/.test(path)
const isOfEntries = either(isFileOfEntries, isDirectory)
const isUpload = isIn(`${fs}/events/_tmp`)

/** What each of the spool's promises needs, whatever `collector.ack` is. */
export const spoolRules: readonly Rule[] = [
  {
    name: 'the ledger takes its place',
    before: ({ operation, target }) => operation === 'rename' && target === `${spool}/ledger`,
    files: either(isOne(`${spool}/ledger.new`), isSetAside),
    added: isSetAside,
  },
  {
    name: 'the id, or the note of the version, takes its place',
    before: ({ operation, path }) => operation === 'rename' && path.startsWith(spool) && path.endsWith('.next'),
    files: (path, event) => path === event.path,
  },
  {
    name: 'the ledger says that a segment is closed',
    before: notes('closed'),
    files: (path, { content }) =>
      isKeys(path) ||
      [...content.matchAll(/"type":"closed","segment":(\d+)/g)].some(([, segment = '']) =>
        path.endsWith(`/log/${segment.padStart(10, '0')}.log`),
      ),
    // From here on its keys are not read from the segment.
    added: isKeys,
  },
  {
    name: 'the ledger says that a segment is sealed',
    before: notes('sealed'),
    files: either(isIn(`${spool}/sealed`), isIn(`${spool}/lists`), isSetAside),
    added: either(isIn(`${spool}/sealed`), isIn(`${spool}/lists`), isSetAside),
  },
  {
    name: 'a sealed segment is removed',
    before: ({ operation, path }) => operation === 'unlink' && /\/log\/\d+\.log$/.test(path),
    added: isLedger,
    noted: ({ path }) => `"type":"sealed","segment":${Number(/(\d+)\.log$/.exec(path)?.[1])}`,
  },
  {
    name: 'the ledger says that a file is moving',
    before: notes('moving'),
    files: isFileOfEntries,
    added: either(isFoundation, isOfEntries),
  },
  {
    name: 'a file moves to its place',
    before: ({ operation, path }) => /^(link|rename)$/.test(operation) && isUpload(path),
    added: isLedger,
    noted: ({ path }) => `"temporary":"/${path.slice(fs.length + 1)}"`,
  },
  {
    name: 'the ledger says that a file is committed',
    before: notes('committed'),
    files: isFileOfEntries,
    added: either(isFoundation, isOfEntries),
    removed: isFileOfEntries,
  },
  {
    name: 'the local copy of a committed file goes',
    before: ({ operation, path }) => operation === 'unlink' && /\/sealed\/.*\.jsonl$/.test(path),
    added: isLedger,
    noted: ({ path }) => `"type":"committed","name":"${path.split('/').at(-1)}"`,
  },
  {
    name: 'the ledger forgets a file',
    before: notes('removed'),
    removed: (path, { content }) => path.includes('/sealed/') && content.includes(path.split('/').at(-1) ?? ''),
  },
]

/** With `collector.ack=fsync`. */
export const acceptedIsSafe: Rule = {
  name: 'a 202',
  before: ({ operation, content }) => operation === 'answer' && content === '202',
  files: either(isIn(`${spool}/log`), isOne(`${spool}/id`)),
  added: either(
    isFoundation,
    isLedger,
    isOne(`${spool}/id`, `${spool}/log`, `${spool}/sealed`, `${spool}/_quarantine`),
    isIn(`${spool}/log`),
  ),
}

/** Of the gateway: what it says is done is on the disk. */
export const changeIsSafe: Rule = {
  name: 'a 201 or 200 of the gateway',
  before: ({ operation, content }) => operation === 'answer' && /^20[01]$/.test(content),
  files: isIn(`${fs}/uploads`),
  added: either(isFoundation, isIn(fs)),
  removed: isIn(fs),
}

/** Of a process that makes changes to the file system and nothing else. */
export const everythingIsSafe: Rule = {
  name: 'done',
  before: ({ operation }) => operation === 'answer',
  files: () => true,
  added: () => true,
  removed: () => true,
}
