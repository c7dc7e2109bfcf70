import type { FigureFacts } from './figure.ts'

/** Why a figure is short of its goal. Only shown on the page while it is. */
export type Note = {
  readonly id: FigureFacts['id']
  /** Where an id has several figures: the first one whose `what` holds this. @default all of them */
  readonly what?: string
  readonly why: string
  /** Where the time goes, as `npm run bench -- ID --notes` prints it. */
  readonly profile?: string
}

/** In the order of the table. */
export const notes: readonly Note[] = []

/** What is to be said of a figure that misses its goal. */
export const noteOf = (
  { id, what }: Pick<FigureFacts, 'id' | 'what'>,
  from: readonly Note[] = notes,
): Note | undefined => from.find(note => note.id === id && (note.what === undefined || what.includes(note.what)))
