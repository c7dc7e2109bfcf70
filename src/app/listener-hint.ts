import { adminRoutes } from '../../admin/routes.ts'
import type { Operation } from '../contract/contract.ts'
import { isPathOf } from '../contract/path-template.ts'
import type { Listener } from './app-type.ts'

/** Says where a path is that was requested from the wrong listener; undefined if it is on no listener. */
export type ListenerHint = (path: string) => string | undefined

/** For the listeners of events and files. They do not reveal the address of the management. */
export const toManagementHint: ListenerHint = path => {
  const isThere = Object.values(adminRoutes).some(({ path: own }) =>
    own.endsWith('/*') ? path.startsWith(own.slice(0, -1)) : path === own,
  )
  return isThere
    ? `This is the listener of events and files; the management listener (admin.port) has ${path}`
    : undefined
}

/** For the management listener: those who reach it may know what listens. */
export const createServerHint =
  (operations: readonly Operation[], listeners: () => readonly Listener[]): ListenerHint =>
  path => {
    if (!operations.some(operation => isPathOf(operation.path, path))) return undefined
    const others = listeners().filter(({ name }) => name === 'server' || name === 'gateway')
    const addresses = others.map(({ name, url }) => `${name} ${url}`).join(', ') || 'server.port'
    return `This is the management listener; events and files are elsewhere: ${addresses}`
  }
