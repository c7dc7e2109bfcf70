/**
 * What SDKs ask of their vendor before they send: which features are switched on, and where calls go. The answer says
 * that only events are supported, and that they go here.
 */
import { SluiceError } from '../../errors.ts'
import type { Call } from '../../http/call/call.ts'
import { toBaseUrl, toServerAddress } from '../../http/origin/origin.ts'
import { intakeHeaders } from './intake-headers.ts'

/** The path of what is asked for, after the common part, with the sender's key in it. */
export type SettingsParams = { readonly key: string }

/** Browsers load some of these as scripts: what they are is what their type says. */
const answer = (type: string, body: string): Response =>
  new Response(body, { headers: { ...intakeHeaders, 'content-type': type, 'x-content-type-options': 'nosniff' } })

const jsonAnswer = (body: unknown): Response => answer('application/json', JSON.stringify(body))

const notFound = (): SluiceError => new SluiceError('not-found', 'No route has this path', { headers: intakeHeaders })

/** `/v1/projects/KEY/settings`: one destination, the server that was asked. @throws SluiceError `not-found` */
export const segmentSettings = (call: Call<SettingsParams>): Response => {
  const [, apiKey] = /^\/([^/]+)\/settings$/.exec(call.params.key) ?? []
  if (apiKey === undefined) throw notFound()
  const [protocol, host] = toBaseUrl(toServerAddress(call)).split('://')
  return jsonAnswer({
    integrations: { 'Segment.io': { apiKey, apiHost: `${host}/v1`, protocol } },
    // Of itself, to its vendor.
    metrics: { sampleRate: 0 },
  })
}

/** `/sourceConfig`: a source without destinations; the SDK knows itself where to send. */
export const rudderStackSettings = (): Response =>
  jsonAnswer({
    source: { id: 'sluice', name: 'Sluice', enabled: true, config: nothingReported, destinations: [] },
  })

/** To their vendor. */
const nothingReported = { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } }

const compressions = ['gzip', 'gzip-js', 'base64']

/** `/flags` and `/decide`: there are no flags, and nothing is wrong. */
export const noFlags = (): Response =>
  jsonAnswer({
    flags: {},
    featureFlags: {},
    featureFlagPayloads: {},
    errorsWhileComputingFlags: false,
    sessionRecording: false,
    supportedCompression: compressions,
    isAuthenticated: false,
    toolbarParams: {},
    config: {},
  })

/** `/array/KEY/config`, and `config.js`, which leaves the same where the SDK looks for it. @throws SluiceError `not-found` */
export const postHogSettings = (call: Call<SettingsParams>): Response => {
  const [, token, script] = /^\/([\w-]{1,128})\/config(\.js)?$/.exec(call.params.key) ?? []
  if (token === undefined) throw notFound()
  const config = {
    token,
    supportedCompression: compressions,
    hasFeatureFlags: false,
    captureDeadClicks: false,
    capturePerformance: false,
    autocaptureExceptions: false,
    sessionRecording: false,
    heatmaps: false,
    siteApps: [],
    isAuthenticated: false,
    toolbarParams: {},
  }
  if (script === undefined) return jsonAnswer(config)
  const code = `(window._POSTHOG_REMOTE_CONFIG??={})[${JSON.stringify(token)}]={config:${JSON.stringify(config)},siteApps:[]}\n`
  return answer('text/javascript', code)
}
