/** Bytes of a data node on their way: whatever is sent, as it comes. */
import { connect, type Socket } from 'node:net'
import type { NodeAddress } from '../../../src/filesystem/hdfs/socket/exact-socket.ts'
import type { NetworkFault } from '../fault-proxy.ts'
import { joinSockets, type ProxyWatch } from './weather.ts'

const possible: readonly NetworkFault[] = ['time-out', 'lost reply', 'cut upload']
/** Before it breaks off: proofs and the operation come first, and a short file is one packet. */
const mostPieces = 4

/** Passes the bytes of one connection on. */
export const serveBytes = (client: Socket, { host, port }: NodeAddress, watch: ProxyWatch): void => {
  const { weather, random, moved } = watch
  const upstream = connect({ host, port, noDelay: true })
  joinSockets(client, upstream)
  let turn = -1
  let fault: NetworkFault = 'none'
  let pieces = 0
  /** Drawn once for each fault. */
  const meet = (): NetworkFault => {
    if (turn === weather.turn) return fault
    turn = weather.turn
    pieces = Math.floor(random() * mostPieces)
    fault = weather.meet(possible, ['CREATE'])
    return fault
  }
  const pass = (from: Socket, to: Socket, bytes: Buffer): void => {
    moved(bytes.length)
    if (to.write(bytes)) return
    from.pause()
    to.once('drain', () => from.resume())
  }
  client.on('data', bytes => {
    const met = meet()
    if (met === 'time-out') weather.hold(client)
    else if (met !== 'cut upload' || pieces-- > 0) pass(client, upstream, bytes)
    else upstream.write(bytes.subarray(0, bytes.length >> 1), () => client.destroy())
  })
  upstream.on('data', bytes => {
    if (turn === weather.turn && fault === 'lost reply') client.destroy()
    else pass(upstream, client, bytes)
  })
}
