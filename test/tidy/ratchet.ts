/** A kind of thing that may not grow. */
export type Kind = 'file' | 'folder' | 'function' | 'name' | 'word'

/** One measured thing: `place` is a path, a path and a function, an exported name, or a word. */
export type Measure = {
  readonly kind: Kind
  readonly place: string
  readonly count: number
  /** Where to look, for a name. */
  readonly seenIn?: readonly string[]
}

/** What is allowed without being on the list. */
export type Limits = Readonly<Record<Kind, number>>

/** What has grown, in sentences, and the list as it must be: only ever shorter, with lower numbers. */
export type Verdict = {
  readonly grown: readonly string[]
  readonly list: string
  readonly couldShrink: readonly string[]
}

/** A word's number falls in steps of a tenth: many changes at a time take a word out, and each would change the same line. */
const wordStep = 0.9

/** Compares what was measured with the limits, and with the list of exceptions: lines `kind place count`. */
export const judge = (measures: readonly Measure[], limits: Limits, list: string): Verdict => {
  const exceptions = parseList(list)
  const counts = new Map(measures.map(measure => [toKey(measure), measure]))
  const grown = measures.flatMap(measure => {
    const allowed = exceptions.get(toKey(measure)) ?? limits[measure.kind]
    return measure.count > allowed ? [toSentence(measure, allowed)] : []
  })
  const kept: string[] = []
  const couldShrink: string[] = []
  for (const [key, allowed] of exceptions) {
    const { kind, count } = counts.get(key) ?? { kind: undefined, count: 0 }
    const next = kind === 'word' && count > allowed * wordStep ? allowed : Math.min(allowed, count)
    if (kind === undefined || next <= limits[kind])
      couldShrink.push(`${key} ${allowed}: no exception is needed any more`)
    else {
      kept.push(`${key} ${next}`)
      if (next < allowed) couldShrink.push(`${key} ${allowed}: ${next} is enough`)
    }
  }
  const comments = list.split('\n').filter(line => line.startsWith('#'))
  return { grown, list: [...comments, ...kept.sort(), ''].join('\n'), couldShrink }
}

/** Of a line that is there twice, as merges leave it, the lower number counts. */
function parseList(list: string): ReadonlyMap<string, number> {
  const exceptions = new Map<string, number>()
  for (const line of list.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, key, digits] = /^(\S.*) (\d+)$/.exec(line) ?? []
    if (key === undefined)
      throw new SyntaxError(`"${line}" is no line of the list: kind, place and number are expected`)
    exceptions.set(key, Math.min(Number(digits), exceptions.get(key) ?? Infinity))
  }
  return exceptions
}

const toKey = ({ kind, place }: Measure): string => `${kind} ${place}`

function toSentence({ kind, place, count, seenIn = [] }: Measure, allowed: number): string {
  switch (kind) {
    case 'function':
      return `${place} has ${count} lines, at most ${allowed} are allowed: take a thought out of it`
    case 'file':
      return `${place} has ${count} lines, at most ${allowed} are allowed: give one of its concepts a file of its own`
    case 'folder':
      return `${place} has ${count} files, at most ${allowed} are allowed: give those of one concept a folder of their own`
    case 'name':
      return `${place} is exported by ${count} files (${seenIn.join(', ')}), at most ${allowed} may: name it for what it is there`
    case 'word':
      return `"${place}" is in comments and pages ${count} times, at most ${allowed} are allowed: say it plainly`
  }
}
