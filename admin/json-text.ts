/** Flat values with up to this many parts are written at once. */
const maxFlat = 256

/** JSON of a value that never changes: written once, when it is first needed. */
export class WrittenJson {
  readonly #make: () => unknown
  #text: string | undefined

  constructor(make: () => unknown) {
    this.#make = make
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#make())
    return this.#text
  }
}

/** Remembers the JSON of an object, for as long as the object exists. */
export const writtenOnce = <Subject extends object>(
  tell: (subject: Subject) => unknown,
): ((subject: Subject) => WrittenJson) => {
  const texts = new WeakMap<Subject, WrittenJson>()
  return subject => {
    const known = texts.get(subject)
    if (known) return known
    const text = new WrittenJson(() => tell(subject))
    texts.set(subject, text)
    return text
  }
}

/**
 * What `JSON.stringify` makes of a plain value, in small pieces, so that its writing can be cut. Maps are written as
 * objects: going through one costs nothing ahead, however large it is.
 */
export function* writeJson(value: unknown): Generator<string, void, undefined> {
  if (value instanceof WrittenJson) yield value.text
  else if (typeof value !== 'object' || value === null || isFlat(value)) yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) {
    let before = '['
    for (const part of value) {
      yield before
      yield* writeJson(part)
      before = ','
    }
    yield ']'
  } else {
    let before = '{'
    for (const [key, part] of value instanceof Map ? value : Object.entries(value)) {
      if (part === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      yield* writeJson(part)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }
}

const isFlat = (value: object): boolean => {
  if (value instanceof Map) return false
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return parts.length <= maxFlat && parts.every(part => typeof part !== 'object' || part === null)
}
