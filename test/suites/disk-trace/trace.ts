import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { isRequired } from '../hdfs.ts'

/** What a thread of the watched process did; `trace.c` says when each is noted. Paths are relative to the watched directory. */
export type TraceEvent = {
  readonly operation:
    | 'create'
    | 'write'
    | 'syncing'
    | 'synced'
    | 'mkdir'
    | 'rename'
    | 'link'
    | 'unlink'
    | 'rmdir'
    | 'answer'
  readonly thread: string
  /** `''` is the watched directory itself. */
  readonly path: string
  /** The target of a rename or link. */
  readonly target: string
  /** What is written to the ledger, or the status of an answer. */
  readonly content: string
}

/** A directory in which every call of a process, and of those that follow it there, is noted. */
export type Trace = {
  readonly directory: string
  /** For the processes that are to be watched. */
  readonly env: Readonly<Record<string, string>>
  /** Everything so far. */
  events(): readonly TraceEvent[]
  close(): void
}

/** Compiles what is loaded into the processes, and makes the directory that they work in. */
export const createTrace = (): Trace => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-trace-'))
  const library = join(home, 'trace.so')
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, join(import.meta.dirname, 'trace.c'), '-ldl'])
  const directory = join(home, 'root')
  execFileSync('mkdir', [directory])
  const file = join(home, 'trace')
  return {
    directory,
    env: { LD_PRELOAD: library, DISK_TRACE_ROOT: directory, DISK_TRACE_FILE: file },
    events: () => parseTrace(readFileSync(file, 'latin1'), directory),
    close: () => rmSync(home, { recursive: true }),
  }
}

const parseTrace = (text: string, directory: string): TraceEvent[] => {
  const toPath = (path: string): string => path.slice(directory.length + 1)
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => {
      const [operation = '', thread = '', path = '', rest = ''] = line.split('\t')
      const isMove = operation === 'rename' || operation === 'link'
      return {
        operation: operation as TraceEvent['operation'],
        thread,
        path: toPath(path),
        target: isMove ? toPath(rest) : '',
        content: isMove ? '' : rest,
      }
    })
}

/** A `describe` for what needs a C compiler on Linux; elsewhere skipped, or failed when `SLUICE_REQUIRE` has `cc`. */
export const describeTraced = (name: string, body: () => void): void => {
  const reason = whyNot()
  if (reason === undefined) return void describe(name, body)
  describe(`${name} (skipped: ${reason})`, () => {
    test.skipIf(!isRequired('cc'))('needs a C compiler', () => {
      throw new Error(`SLUICE_REQUIRE has "cc", but ${reason}`)
    })
  })
}

const whyNot = (): string | undefined => {
  if (process.platform !== 'linux') return 'LD_PRELOAD is for Linux'
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no C compiler (cc)'
  }
}
