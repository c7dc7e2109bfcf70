/** The same JSON events for Flume's `JSONHandler`: an array of headers and a body, which it keeps as text. */
export type FlumeKind = (typeof flumeKinds)[number]

const flumeKinds = ['flume', 'flume-batch'] as const

/** Whether a request of this kind is for Flume's HTTP source. */
export const isFlumeKind = (kind: string): kind is FlumeKind => flumeKinds.some(one => one === kind)

/** The body for one JSON event, or an array of them: each whole as its body, with its type as a header. */
export const createFlumeBody = (json: string): Buffer => {
  const events: readonly { readonly eventName: string }[] = [JSON.parse(json)].flat()
  return Buffer.from(
    JSON.stringify(events.map(event => ({ headers: { type: event.eventName }, body: JSON.stringify(event) }))),
  )
}
