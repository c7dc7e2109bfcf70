import { connect } from 'node:net'

/** Whether a port of the loopback address accepts connections. */
export const accepts = (port: number): Promise<boolean> =>
  new Promise(done => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
    socket.once('connect', () => socket.destroy())
  })
