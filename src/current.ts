/**
 * A value that can become another while the server runs. It is called where it is used: what it gave belongs to the
 * moment, and nothing of it is kept.
 */
export type Current<T> = () => T

/** The same, and who is to hear of each new one. */
export type Watched<T> = {
  readonly current: Current<T>
  onChange(hear: (value: T) => void): void
}

/** The same, kept by who sets it. */
export type WatchedValue<T> = Watched<T> & { set(value: T): void }

export const createWatched = <T>(first: T): WatchedValue<T> => {
  let value = first
  const hearers: ((value: T) => void)[] = []
  return {
    current: () => value,
    onChange: hear => void hearers.push(hear),
    set: next => {
      value = next
      for (const hear of hearers) hear(next)
    },
  }
}
