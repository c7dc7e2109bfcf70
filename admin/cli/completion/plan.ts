import type { NameKind } from './known-names.ts'

/** A flag as a shell needs it. */
export type CompletionFlag = {
  readonly name: string
  readonly char: string | undefined
  readonly takesValue: boolean
  /** The values that it may have, where they are few. */
  readonly options: readonly string[]
}

/** A command as a shell needs it. */
export type CompletionCommand = {
  readonly words: readonly string[]
  readonly summary: string
  readonly flags: readonly CompletionFlag[]
  /** For each argument the words that it may be, where they are few. */
  readonly args: readonly (readonly string[])[]
}

/** Where words come from: the server, or the directory of the shell. */
export type Source = NameKind | 'files'

/** What may come at one place of a line. */
export type CompletionPlace = {
  /** Commands, or values of a flag; with what they do. */
  readonly next: ReadonlyMap<string, string>
  readonly flags: readonly string[]
  /** The first argument. */
  readonly first: readonly Source[]
  /** Those after it. */
  readonly more: readonly Source[]
}

/**
 * What may follow each beginning of a line: `""` → `beans config …`, `beans` → `call get …`, `beans get` → flags and
 * beans, `beans get --output` → `table json …`. A flag without a value is not a beginning.
 */
export const toPlaces = (commands: readonly CompletionCommand[]): ReadonlyMap<string, CompletionPlace> => {
  const places = new Map<string, Writable>()
  const at = (...words: readonly string[]): Writable => {
    const path = words.join(' ')
    const place = places.get(path) ?? { next: new Map(), flags: [], first: [], more: [] }
    places.set(path, place)
    return place
  }
  const sorted = [...commands].sort((a, b) => (a.words.join(' ') < b.words.join(' ') ? -1 : 1))
  for (const { words, summary, flags, args } of sorted) {
    for (const [i, word] of words.entries()) {
      const { next } = at(...words.slice(0, i))
      next.set(word, i === words.length - 1 ? summary : (next.get(word) ?? ''))
    }
    const place = at(...words)
    place.flags = [...flags.map(({ name }) => `--${name}`), '--help'].sort()
    const [first = [], more = first] = sourcesOf[words.join(' ')] ?? []
    const [choices = []] = args
    for (const word of choices) place.next.set(word, '')
    if (choices.length === 0) [place.first, place.more] = [first, more]
    for (const { name, char, takesValue, options } of flags.filter(flag => flag.takesValue)) {
      for (const word of [`--${name}`, ...(char === undefined ? [] : [`-${char}`])]) {
        const value = at(...words, word)
        for (const option of options) value.next.set(option, '')
        if (takesValue && filesOf.has(name)) value.first = value.more = ['files']
      }
    }
  }
  return places
}

type Writable = { -readonly [Key in keyof CompletionPlace]: CompletionPlace[Key] } & {
  readonly next: Map<string, string>
}

/** First argument, and those after it where they differ. */
const sourcesOf: Readonly<Record<string, readonly (readonly Source[])[]>> = {
  'beans call': [['beans'], []],
  'beans get': [['beans'], []],
  'beans list': [['beans'], []],
  'beans set': [['beans'], []],
  'fs cat': [['paths']],
  'fs du': [['paths']],
  'fs find': [['paths']],
  'fs get': [['paths'], ['paths', 'files']],
  'fs ls': [['paths']],
  'fs mkdir': [['directories']],
  'fs mv': [['paths']],
  'fs put': [['files'], ['paths', 'files']],
  'fs rm': [['paths']],
  'fs rows': [['paths']],
  'fs tail': [['paths']],
  open: [['paths'], []],
  send: [['types'], []],
  'spool adopt': [['files'], []],
  'spool dump': [['files']],
  'spool import': [['files']],
  tail: [['types']],
}

/** Flags whose value is a file or directory here. */
const filesOf: ReadonlySet<string> = new Set(['config', 'file', 'spool', 'token-file'])

/** Flags that say whom to ask. */
export const addressFlags = ['--url', '--server-url', '--profile', '--token-file']
