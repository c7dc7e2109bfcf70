import type { BaseCall, LaneRoutes } from '../http/call/base-call.ts'
import type { Contract } from './contract.ts'
import { bindService, type Service } from './service.ts'

/**
 * The routes of a service for the lane: the same checks and handlers as `bindOperations`, without a `Request` or a router
 * in between. Other methods and other spellings of the path take the usual way.
 */
export const createLaneRoutes = (contract: Contract, service: Service): LaneRoutes => {
  const routes = bindService(contract, service).map(({ operation: { method, path }, guard: { finish }, answer }) => ({
    method,
    path,
    answer: finish ? Object.assign((call: BaseCall) => answer(call), { finish }) : answer,
  }))
  return (method, target) => {
    const query = target.indexOf('?')
    const pathLength = query < 0 ? target.length : query
    // So few are compared faster than a path is cut out and looked up.
    for (const route of routes) {
      const { path } = route
      if (path.length === pathLength && target.startsWith(path) && route.method === method) return route.answer
    }
    return undefined
  }
}
