/** SDKs for browsers, with their default settings except the address, unless a comment says why. */
import type { Page } from 'playwright-core'

/** An SDK in a page whose scripts are those of `bundleSdk`. */
export type BrowserSender = {
  readonly packageName: string
  /** Loads the SDK and has it send an event of each name to a server. */
  readonly send: (page: Page, url: string, names: readonly string[]) => Promise<void>
  /** Triggers a retry. @default it retries by itself */
  readonly tryAgain?: (page: Page) => Promise<void>
  /** Names of events that it sends by itself. @default none */
  readonly also?: readonly string[]
  /** What it logs as errors. @default nothing */
  readonly expected?: RegExp
}

/** What a page runs; its functions see nothing of this file. */
type Given = { readonly to: string; readonly events: readonly string[]; readonly from: string }
const from = '/sdk.js'

type Segment = { readonly AnalyticsBrowser: { load(settings: object): { track(name: string): Promise<unknown> } } }

const segment: BrowserSender = {
  packageName: '@segment/analytics-next',
  send: (page, url, names) =>
    page.evaluate(
      async ({ to, events, from }: Given) => {
        const { sdk } = (await import(from)) as { readonly sdk: Segment }
        const analytics = sdk.AnalyticsBrowser.load({ writeKey: 'KEY', cdnURL: to })
        for (const name of events) await analytics.track(name)
      },
      { to: url, events: names, from },
    ),
}

type RudderStack = {
  readonly RudderAnalytics: new () => {
    load(key: string, url: string, options: object): void
    track(name: string): void
  }
}

const rudderStack: BrowserSender = {
  // The other one loads its parts from the vendor.
  packageName: '@rudderstack/analytics-js/bundled',
  send: (page, url, names) =>
    page.evaluate(
      async ({ to, events, from }: Given) => {
        const { sdk } = (await import(from)) as { readonly sdk: RudderStack }
        const analytics = new sdk.RudderAnalytics()
        analytics.load('KEY', to, { configUrl: to })
        for (const name of events) analytics.track(name)
      },
      { to: url, events: names, from },
    ),
}

type PostHog = { readonly posthog: { init(key: string, options: object): void; capture(name: string): void } }

const posthog: BrowserSender = {
  packageName: 'posthog-js',
  also: ['$pageview'],
  send: (page, url, names) =>
    page.evaluate(
      async ({ to, events, from }: Given) => {
        const { sdk } = (await import(from)) as { readonly sdk: PostHog }
        // To it a browser without a screen is a robot.
        sdk.posthog.init('phc_KEY', { api_host: to, opt_out_useragent_filter: true })
        for (const name of events) sdk.posthog.capture(name)
      },
      { to: url, events: names, from },
    ),
}

type Snowplow = {
  newTracker(namespace: string, url: string, options: object): void
  trackSelfDescribingEvent(event: object): void
  flushBuffer(): void
}

const snowplow = (options: object): BrowserSender => ({
  packageName: '@snowplow/browser-tracker',
  send: (page, url, names) =>
    page.evaluate(
      async ({ to, events, from, options }) => {
        const { sdk } = (await import(from)) as { readonly sdk: Snowplow }
        sdk.newTracker('n', to, { appId: 'shop', ...options })
        for (const name of events) {
          sdk.trackSelfDescribingEvent({ event: { schema: `iglu:com.acme/${name}/jsonschema/1-0-0`, data: {} } })
        }
      },
      { to: url, events: names, from, options },
    ),
  // What could not be sent waits for the next event.
  tryAgain: page =>
    page.evaluate(async module => {
      const { sdk } = (await import(module)) as { readonly sdk: Snowplow }
      sdk.flushBuffer()
    }, from),
})

/** By the name of the package, and what differs within it. */
export const browserSenders: Readonly<Record<string, BrowserSender>> = {
  '@segment/analytics-next': segment,
  '@rudderstack/analytics-js': rudderStack,
  'posthog-js': posthog,
  '@snowplow/browser-tracker': snowplow({}),
  '@snowplow/browser-tracker, anonymous': snowplow({ anonymousTracking: { withServerAnonymisation: true } }),
  '@snowplow/browser-tracker, GET': snowplow({ eventMethod: 'get' }),
}
