import type { Door, DoorOptions } from '../collector/door.ts'
import { keysOf, toDoorRefusal } from '../collector/formats/doors.ts'
import { toCollectorSettings } from '../collector/settings.ts'
import { createValidator } from '../collector/validation/validator.ts'
import type { LiveSettings } from '../config/live-settings.ts'
import type { Guard, Service } from '../contract/service.ts'
import { createDoorKeys } from '../http/auth/door-keys.ts'
import type { TokenCallers } from '../http/auth/token-callers.ts'
import { hasRegistrar } from '../rows/registrar/create-registrar.ts'
import type { Registrar } from '../rows/registrar/registrar.ts'

type Callers = Pick<TokenCallers, 'authorizeToken'>

/** Undefined where sending needs no token. */
const toKeys = ({ current: settings }: LiveSettings, callers: Callers) =>
  settings['collector.auth'] === 'token' ? createDoorKeys(callers) : undefined

/** What a door takes of the settings, and of what is known of event types and of callers; the same in each thread. */
export const toDoorParts = (
  live: LiveSettings,
  registrar: Registrar,
  callers: Callers,
): Pick<DoorOptions, 'settings' | 'validate' | 'authorizeKey'> => ({
  settings: live.of(toCollectorSettings),
  // Without a registry there is nothing to compare with, and nothing to pay.
  validate: hasRegistrar(live.current)
    ? createValidator({
        lookup: name => registrar.fields(name),
        contracts: registrar.contracts,
        mode: live.of(current => current['collector.validation']),
      })
    : undefined,
  authorizeKey: toKeys(live, callers)?.authorizeKey,
})

/** The operations that a door answers, its own and those of senders of other makes, and who may call them. */
export const createDoorServices = (
  door: Pick<Door, 'handlers' | 'doorHandlers' | 'shed' | 'refuse' | 'allowOrigin'>,
  live: LiveSettings,
  callers: Callers,
): { readonly events: Service; readonly doors: Service } => {
  const { getEventV1, getEventV2, postEvent } = door.handlers
  const keys = toKeys(live, callers)
  // Pages of any origin may send events: what a browser adds by itself says nothing of who wants it, a token does.
  const closed: Guard = { authorize: keys && callers.authorizeToken, shed: door.shed, onRefusal: door.refuse }
  const open: Guard = { ...closed, finish: door.allowOrigin }
  const guardOf: Service['guardOf'] = ({ cors }) => (cors ? open : closed)
  return {
    events: { tags: ['events'], handlers: { getEventV1, getEventV2, postEvent }, guardOf },
    doors: {
      tags: ['doors'],
      handlers: door.doorHandlers,
      guardOf: operation => ({
        ...guardOf(operation),
        authorize: keysOf(operation.id).length > 0 ? keys?.authorizeLater : keys?.authorize,
        answerError: (error, call) => toDoorRefusal(operation.id, error, call),
      }),
    },
  }
}
