import { type Field, type QueryVersion, toQueryText } from '../tracker/fields.ts'

export { type Annotation, type Field, field, type QueryVersion } from '../tracker/fields.ts'

/** How a page sends. */
export type BeaconOptions = {
  /** Base of the collector's addresses. @default that of the page */
  readonly url?: string
  /** How integers are written by GET. @default 2, which is shorter */
  readonly version?: QueryVersion
  /** @default the browser's own */
  readonly fetch?: (url: string, init: RequestInit) => Promise<unknown>
  /** @default navigator.sendBeacon, where there is one */
  readonly sendBeacon?: (url: string, body: string) => boolean
}

/** Sends events from a web page: once, without a spool, and also while the page goes away. */
export type Beacon = {
  /**
   * Sends an event with numbered fields by GET, and gives its URL. It does not report whether the event arrived; keep
   * the URL below 256 characters where old browsers matter.
   * @throws TypeError a name that is empty or has a comma
   */
  get(eventName: string, ...fields: readonly Field[]): string
  /**
   * Sends an event with named values by `navigator.sendBeacon`, as JSON. False when the browser does not take it: its
   * queue has 64 KiB.
   * @throws TypeError a name that is missing
   */
  send(eventName: string, payload: Readonly<Record<string, unknown>>): boolean
}

/** Creates what sends from this page. */
export const createBeacon = ({ url = '', version = 2, ...given }: BeaconOptions = {}): Beacon => {
  const base = url.replace(/\/+$/, '')
  const call = given.fetch ?? ((target: string, init: RequestInit) => fetch(target, init))
  const beacon = given.sendBeacon ?? toBrowserBeacon()
  return {
    get: (eventName, ...fields) => {
      const target = `${base}/${version}?v=${encodeURIComponent(toQueryText(eventName, fields, version))}`
      void call(target, { keepalive: true, credentials: 'omit' }).catch(() => {})
      return target
    },
    send: (eventName, payload) => {
      if (typeof eventName !== 'string' || eventName === '') throw new TypeError('eventName is missing')
      const body = JSON.stringify({ eventName, payload: { eventDate: Date.now(), ...payload } }, bigintsAsNumbers)
      return beacon(`${base}/rest/1.0/event`, body)
    },
  }
}

/** Text is sent as text/plain, which needs no preflight; the collector reads it as JSON. */
const toBrowserBeacon = (): ((url: string, body: string) => boolean) => {
  const { navigator } = globalThis as { navigator?: { sendBeacon?: (url: string, body: string) => boolean } }
  return (url, body) => navigator?.sendBeacon?.(url, body) ?? false
}

const bigintsAsNumbers = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value)) : value
