import type { BaseCall, LaneRoute, LaneRoutes } from '../http/call/base-call.ts'
import type { Contract } from './contract.ts'
import { toRoutes } from './path-template.ts'
import { bindService, type Service } from './service.ts'

/**
 * The routes of services for the lane: the same checks and handlers as `bindOperations`, without a `Request` or a router
 * in between. Other methods and other spellings of the path take the usual way.
 */
export const createLaneRoutes = (contract: Contract, ...services: readonly Service[]): LaneRoutes => {
  const bound = services.flatMap(service => bindService(contract, service))
  const routes = bound.flatMap(({ operation: { method, path }, guard: { finish, answerError }, answer }) => {
    const route: LaneRoute = Object.assign((call: BaseCall) => answer(call), { finish, answerError })
    return toRoutes(path).map(one => ({ method, route, ...toStart(one) }))
  })
  return (method, target) => {
    const query = target.indexOf('?')
    const pathLength = query < 0 ? target.length : query
    // So few are compared faster than a path is cut out and looked up.
    for (const { start, isWhole, route, method: own } of routes) {
      const mayBe = isWhole ? start.length === pathLength : start.length <= pathLength
      if (mayBe && target.startsWith(start) && own === method) return route
    }
    return undefined
  }
}

/** The beginning of a path, and whether that is all of it. */
const toStart = (route: string): { readonly start: string; readonly isWhole: boolean } =>
  route.endsWith('/*') ? { start: route.slice(0, -1), isWhole: false } : { start: route, isWhole: true }
