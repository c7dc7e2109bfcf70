/** Digits of an event's number: all requests have one length. */
const digits = 9

/** Bytes of the body: a JSON event as others are measured with. */
const bodyBytes = 315

/**
 * The requests of a run: the same bytes except for the number of the event, which occurs once in each, as
 * `E000000042E`.
 */
export type Requests = {
  readonly length: number
  /** Puts the request for one event there. */
  write(event: number, target: Buffer, offset: number): void
}

/** Whole `POST /rest/1.0/event` requests, made without allocating. */
export const createRequests = (host: string): Requests => {
  const body = createBody()
  const head = [
    'POST /rest/1.0/event HTTP/1.1',
    `Host: ${host}`,
    'User-Agent: sluice-overload/1',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const template = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  const mark = template.indexOf(`E${'0'.repeat(digits)}E`) + 1
  return {
    length: template.length,
    write: (event, target, offset) => {
      template.copy(target, offset)
      let rest = event
      for (let i = digits - 1; i >= 0; i--) {
        target[offset + mark + i] = 0x30 + (rest % 10)
        rest = Math.floor(rest / 10)
      }
    },
  }
}

/** The numbers of the events in these bytes. */
export const findEvents = (bytes: Uint8Array): number[] => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  return [...text.matchAll(/E(\d{9})E/g)].map(([, number]) => Number(number))
}

const createBody = (): string => {
  const event = (note: string): string =>
    JSON.stringify({
      eventName: 'Overload',
      payload: {
        id: `E${'0'.repeat(digits)}E`,
        path: '/groups/17/topics?page=3',
        memberId: 100_042,
        isMember: true,
        note,
      },
    })
  return event('x'.repeat(bodyBytes - event('').length))
}
