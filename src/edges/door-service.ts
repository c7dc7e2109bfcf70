import type { Door } from '../collector/door.ts'
import { toCollectorSettings } from '../collector/settings.ts'
import { createValidator } from '../collector/validation/validator.ts'
import type { LiveSettings } from '../config/live-settings.ts'
import type { Guard, Service } from '../contract/service.ts'
import type { TokenCallers } from '../http/auth/token-callers.ts'
import { hasRegistrar } from '../rows/registrar/create-registrar.ts'
import type { Registrar } from '../rows/registrar/registrar.ts'

/** What a door takes of the settings, and of what is known of event types; the same in each thread. */
export const toDoorParts = (live: LiveSettings, registrar: Registrar) => ({
  settings: live.of(toCollectorSettings),
  // Without a registry there is nothing to compare with, and nothing to pay.
  validate: hasRegistrar(live.current)
    ? createValidator({
        lookup: name => registrar.fields(name),
        contracts: registrar.contracts,
        mode: live.of(current => current['collector.validation']),
      })
    : undefined,
})

/** The operations that a door answers, and who may call them. */
export const createDoorService = (
  door: Pick<Door, 'handlers' | 'shed' | 'refuse' | 'allowOrigin'>,
  { current: settings }: LiveSettings,
  { authorizeToken }: Pick<TokenCallers, 'authorizeToken'>,
): Service => {
  const { getEventV1, getEventV2, postEvent } = door.handlers
  // Pages of any origin may send events: what a browser adds by itself says nothing of who wants it, a token does.
  const authorize = settings['collector.auth'] === 'token' ? authorizeToken : undefined
  const closed: Guard = { authorize, shed: door.shed, onRefusal: door.refuse }
  const open: Guard = { ...closed, finish: door.allowOrigin }
  return {
    tags: ['events'],
    handlers: { getEventV1, getEventV2, postEvent },
    guardOf: ({ cors }) => (cors ? open : closed),
  }
}
