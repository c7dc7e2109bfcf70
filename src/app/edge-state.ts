import type { FilterSettings } from '../collector/settings.ts'
import type { LiveSettings } from '../config/live-settings.ts'
import type { Watched } from '../current.ts'
import type { EdgeState } from '../edges/edge-wire.ts'
import type { Auth } from '../http/auth/auth.ts'
import type { KeyPair } from '../http/edge/tls.ts'
import type { Registrar } from '../rows/registrar/registrar.ts'
import { noTypes } from '../rows/registrar/registrar.ts'

/** The state that steers edge threads, and its sources. */
export type EdgeStateSources = {
  readonly live: LiveSettings
  readonly auth: Pick<Auth, 'tokens'>
  readonly registrar: Registrar
  /** Of a collector; none without one. */
  readonly filters: Watched<FilterSettings> | undefined
  readonly certificate: Watched<KeyPair> | undefined
}

/** The state of edge threads, and who is to hear of what changes in it. */
export type EdgeStateSource = {
  readonly current: EdgeState
  onChange(hear: (changes: Partial<EdgeState>) => void): void
}

/** Puts it together. */
export const watchEdgeState = ({ live, auth, registrar, filters, certificate }: EdgeStateSources): EdgeStateSource => ({
  get current() {
    return {
      settings: live.current,
      tokens: auth.tokens.current(),
      schemas: registrar.known?.current() ?? noTypes,
      filters: filters?.current(),
      certificate: certificate?.current(),
    }
  },
  onChange: hear => {
    live.onChange(settings => () => hear({ settings }))
    auth.tokens.onChange(tokens => hear({ tokens }))
    registrar.known?.onChange(schemas => hear({ schemas }))
    filters?.onChange(patterns => hear({ filters: patterns }))
    certificate?.onChange(pair => hear({ certificate: pair }))
  },
})
