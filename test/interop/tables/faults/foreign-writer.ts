/** A program of other make that writes the same table: what `writer_turns.py` prints. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program of Python. */
export type Script = (name: string, ...words: readonly string[]) => ChildProcessWithoutNullStreams

export type ForeignWriter = {
  /** `kill -9`, and another one begins. @returns false when it does not, for this one has not appended anything yet */
  kill(): Promise<boolean>
  /** Lets it end what it does. */
  stop(): Promise<void>
  /** Ids of rows that are there. */
  readonly done: ReadonlySet<number>
  /** Ids that it has used. */
  readonly begun: ReadonlySet<number>
  /** How often each of its works went well, and the last reasons why one did not. */
  readonly works: Readonly<Record<string, number>>
  readonly failures: readonly string[]
}

/**
 * @param script of {@link Script}
 * @param place of the table, as `open_table.py` takes it
 */
export const startForeignWriter = (run: Script, script: string, place: string): ForeignWriter => {
  const done = new Set<number>()
  const begun = new Set<number>()
  const works: Record<string, number> = {}
  const failures: string[] = []
  let doneBefore = 0
  let child: ChildProcessWithoutNullStreams

  const take = (line: string): void => {
    const [word = '', from = '', to = from] = line.split(' ')
    if (word === 'failed') failures.push(line)
    if (word === 'begins' || word === 'done')
      for (let id = Number(from); id >= Number(to); id--) (word === 'done' ? done : begun).add(id)
    works[word] = (works[word] ?? 0) + 1
  }
  const start = (): void => {
    // Ids of one that was killed before its line came are not used again.
    child = run(script, place, String(Math.min(0, ...begun) - 1_000))
    createInterface(child.stdout).on('line', take)
    const said: string[] = []
    createInterface(child.stderr).on('line', line => void said.splice(0, said.push(line) - keptLines))
    child.on('close', code => {
      if (code !== 0 && code !== null) failures.push(`${script} ended with ${code}:`, ...said)
    })
  }
  const end = async (how: () => void): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    how()
    await closed
  }
  start()
  return {
    kill: async () => {
      if (done.size === doneBefore) return false
      doneBefore = done.size
      await end(() => child.kill('SIGKILL'))
      start()
      return true
    },
    stop: () => end(() => child.stdin.end()),
    done,
    begun,
    works,
    failures,
  }
}

/** Lines of its complaints that are kept. */
const keptLines = 20

/** The programs of a directory. @param env variables beyond those of this process */
export const scriptsOf =
  (python: string, directory: string, env: Readonly<Record<string, string>>): Script =>
  (name, ...words) =>
    spawn(python, [`${directory}/${name}`, ...words], {
      env: { ...process.env, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
