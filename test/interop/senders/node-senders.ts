/** SDKs for Node, with their default settings except the address, unless a comment says why. */
import { expect } from 'vitest'
import { loadSdk } from './load-sdk.ts'
import type { Sender } from './sender.ts'

type Message = { readonly headers: Record<string, string>; readonly body: string }
type CloudEvents = {
  readonly CloudEvent: new (event: object) => object
  readonly emitterFor: (
    transport: (message: Message) => Promise<void>,
    options: object,
  ) => (event: object) => Promise<void>
}

const cloudEvents = (mode: 'binary' | 'structured'): Sender => ({
  async send(url, names) {
    const { CloudEvent, emitterFor } = await loadSdk<CloudEvents>('cloudevents')
    // The SDK makes messages, and leaves checking the status and retrying to its user.
    const transport = async ({ headers, body }: Message): Promise<void> => {
      const response = await fetch(`${url}/rest/1.0/event`, { method: 'POST', headers, body }).catch(() => undefined)
      if (response?.ok !== true) await transport({ headers, body })
    }
    const emit = emitterFor(transport, { mode })
    for (const type of names) await emit(new CloudEvent({ source: '/shop', type, data: { total: 12.5 } }))
  },
})

type Analytics = { track(call: object): void; closeAndFlush(options: object): Promise<void> }

const segment: Sender = {
  async send(url, names) {
    const { Analytics } = await loadSdk<{ Analytics: new (options: object) => Analytics }>('@segment/analytics-node')
    const analytics = new Analytics({ writeKey: 'key', host: url, flushAt: 1 })
    for (const event of names) analytics.track({ userId: 'u', event })
    // Longer than its tries take.
    await analytics.closeAndFlush({ timeout: 60_000 })
  },
}

type Rudder = { track(call: object): void; flush(): Promise<unknown> }

const rudder: Sender = {
  async send(url, names) {
    const RudderAnalytics = await loadSdk<new (key: string, options: object) => Rudder>('@rudderstack/rudder-sdk-node')
    const analytics = new RudderAnalytics('key', { dataPlaneUrl: url })
    for (const event of names) {
      analytics.track({ userId: 'u', event })
      await analytics.flush()
    }
  },
}

type Snowplow = {
  readonly newTracker: (tracker: object, emitter: object) => { track(event: object): void; flush(): void }
  readonly buildSelfDescribingEvent: (event: object) => object
}

const snowplow = (eventMethod: 'post' | 'get'): Sender => ({
  async send(url, names) {
    const sdk = await loadSdk<Snowplow>('@snowplow/node-tracker')
    let sent = 0
    const onRequestSuccess = (events: readonly unknown[]): void => {
      sent += events.length
    }
    const tracker = sdk.newTracker({ namespace: 'n', appId: 'shop' }, { endpoint: url, eventMethod, onRequestSuccess })
    for (const name of names) {
      const schema = `iglu:com.acme/${name}/jsonschema/1-0-0`
      tracker.track(sdk.buildSelfDescribingEvent({ event: { schema, data: {} } }))
    }
    // What could not be sent waits for the next flush.
    const flush = (): number => {
      tracker.flush()
      return sent
    }
    await expect.poll(flush).toBe(names.length)
  },
})

type PostHog = { capture(event: object): void; flush(): Promise<void>; shutdown(): Promise<void> }

const posthog: Sender = {
  async send(url, names) {
    const { PostHog } = await loadSdk<{ PostHog: new (key: string, options: object) => PostHog }>('posthog-node')
    const client = new PostHog('key', { host: url, fetchRetryDelay: 100 })
    for (const event of names) {
      client.capture({ distinctId: 'u', event })
      await client.flush()
    }
    await client.shutdown()
  },
}

type Otel = {
  readonly BatchLogRecordProcessor: new (options: object) => object
  readonly LoggerProvider: new (
    options: object,
  ) => {
    getLogger(name: string): { emit(record: object): void }
    forceFlush(): Promise<void>
    shutdown(): Promise<void>
  }
}

const otlp = (kind: 'http' | 'proto'): Sender => ({
  hasIds: false,
  async send(url, names) {
    const { OTLPLogExporter } = await loadSdk<{ OTLPLogExporter: new (options: object) => object }>(
      `@opentelemetry/exporter-logs-otlp-${kind}`,
    )
    const { LoggerProvider, BatchLogRecordProcessor } = await loadSdk<Otel>('@opentelemetry/sdk-logs')
    const exporter = new OTLPLogExporter({ url: `${url}/v1/logs` })
    const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] })
    for (const eventName of names) {
      provider.getLogger('shop').emit({ eventName, body: { total: 12.5 } })
      await provider.forceFlush()
    }
    await provider.shutdown()
  },
})

/** By the name of the package, and what differs within it. */
export const nodeSenders: Readonly<Record<string, Sender>> = {
  'cloudevents, binary': cloudEvents('binary'),
  'cloudevents, structured': cloudEvents('structured'),
  '@segment/analytics-node': segment,
  '@rudderstack/rudder-sdk-node': rudder,
  '@snowplow/node-tracker, POST': snowplow('post'),
  '@snowplow/node-tracker, GET': snowplow('get'),
  'posthog-node': posthog,
  '@opentelemetry/exporter-logs-otlp-http': otlp('http'),
  '@opentelemetry/exporter-logs-otlp-proto': otlp('proto'),
}
