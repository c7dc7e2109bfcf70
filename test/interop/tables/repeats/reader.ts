/** A reader of other make that looks at the table all the time: `python/repeats.py`. */
import { createInterface } from 'node:readline'
import type { Script } from '../faults/foreign-writer.ts'

/** What the current snapshot has. */
export type Look = {
  readonly rows: number
  /** Events of an earlier look that are missing. */
  readonly lost: readonly number[]
  /** How often those are there that are there more than once. */
  readonly repeated: Readonly<Record<string, number>>
}

/** What each snapshot has against the one before. */
export type History = {
  readonly snapshots: number
  readonly replaced: number
  readonly overwritten: number
  /** Rows that compactions dropped. */
  readonly dropped: number
  readonly problems: readonly string[]
}

/** What DuckDB counts. */
export type Judgement = {
  readonly rows: number
  readonly events: number
  readonly ids: number
  readonly numbers: readonly number[]
}

export type TableReader = {
  look(): Promise<Look>
  history(): Promise<History>
  judge(): Promise<Judgement>
  stop(): void
}

export const startTableReader = (run: Script, place: string): TableReader => {
  const child = run('repeats.py', place)
  const complaints: string[] = []
  createInterface(child.stderr).on('line', line => complaints.push(line))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()

  const ask = async (what: string): Promise<unknown> => {
    child.stdin.write(`${what}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`The reader ended:\n${complaints.slice(-20).join('\n')}`)
    return JSON.parse(value)
  }
  /** One question at a time. */
  const inTurn = <T>(what: string): Promise<T> => {
    const answer = last.then(() => ask(what)) as Promise<T>
    last = answer.catch(() => {})
    return answer
  }
  return {
    look: () => inTurn<Look>('look'),
    history: () => inTurn<History>('history'),
    judge: () => inTurn<Judgement>('judge'),
    stop: () => void child.kill('SIGKILL'),
  }
}
