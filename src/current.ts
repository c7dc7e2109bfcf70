/**
 * A value that can become another while the server runs. It is called where it is used: what it gave belongs to the
 * moment, and nothing of it is kept.
 */
export type Current<T> = () => T
