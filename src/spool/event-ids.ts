/** Ids of events, as a batch has them: this many bytes for each event, all zero for one without an id. */
export const eventIdBytes = 16

/** The id at a position, as a text of which nothing is known but that it is another one for each id; undefined for an event without one. */
export const eventIdAt = (ids: Uint8Array, position: number): string | undefined => {
  const start = position * eventIdBytes
  const text = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength).toString('latin1', start, start + eventIdBytes)
  return text === noId ? undefined : text
}

/** The same as tables have it: in base64url. */
export const eventIdTextAt = (ids: Uint8Array, position: number): string | undefined => {
  const id = eventIdAt(ids, position)
  return id === undefined ? undefined : Buffer.from(id, 'latin1').toString('base64url')
}

const noId = '\0'.repeat(eventIdBytes)
