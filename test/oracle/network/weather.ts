import type { Socket } from 'node:net'
import type { Aim, NetworkFault } from '../fault-proxy.ts'

/** What happens to calls and bytes, until it is said otherwise. */
export type Weather = {
  /** Counts what meets it. */
  set(fault: NetworkFault, aim?: Aim): void
  /** What one call meets, or the bytes of a connection. @param steps the operations of WebHDFS that it is a step of */
  meet(possible: readonly NetworkFault[], steps: readonly string[]): NetworkFault
  /** Keeps a connection on which nothing comes any more; it breaks when the fault is over. */
  hold(socket: Socket): void
  /** Tells one fault from the next one, of the same name too. */
  readonly turn: number
  readonly hits: number
}

export const createWeather = (random: () => number): Weather => {
  const held = new Set<Socket>()
  let fault: NetworkFault = 'none'
  let aim: Aim = {}
  let turn = 0
  let hits = 0
  return {
    set: (next, nextAim = {}) => {
      fault = next
      aim = nextAim
      turn++
      if (next === 'partition') hits++
      for (const socket of held) socket.destroy()
      held.clear()
    },
    meet: (possible, steps) => {
      const { share = 1, operation } = aim
      const isAimedAt = operation === undefined || steps.includes(operation)
      if (!possible.includes(fault) || !isAimedAt || random() >= share) return 'none'
      hits++
      return fault
    },
    hold: socket => {
      if (held.has(socket)) return
      held.add(socket)
      socket.on('close', () => held.delete(socket))
    },
    get turn() {
      return turn
    },
    get hits() {
      return hits
    },
  }
}

/** What serves the connections of one place. */
export type ProxyWatch = {
  readonly weather: Weather
  readonly random: () => number
  /** A call was made of the name node. */
  readonly called: () => void
  /** So many bytes went to a data node, or came from one. */
  readonly moved: (bytes: number) => void
  /** The name node did not take a proof. */
  readonly refused: () => void
}

/** Two connections that end together. */
export const joinSockets = (client: Socket, upstream: Socket): void => {
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    one.on('error', () => {})
    one.on('close', () => other.destroy())
  }
}
