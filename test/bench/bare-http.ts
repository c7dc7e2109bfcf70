import { createServer, type Server } from 'node:net'

const answer = 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'

/**
 * As little HTTP as a POST can do with: on `node:net`, a head ends at an empty line and says the length of its body. It
 * checks nothing: what Sluice's own way of reading requests costs more than this is what it does for them.
 */
export const createBareHttp = (take: (body: Buffer, answer: () => void) => void): Server =>
  createServer({ noDelay: true }, socket => {
    let held: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      for (;;) {
        const head = held.indexOf('\r\n\r\n')
        if (head < 0) return
        const [, length = '0'] = /\r\ncontent-length: *(\d+)/i.exec(held.toString('latin1', 0, head)) ?? []
        const end = head + 4 + Number(length)
        if (held.length < end) return
        take(held.subarray(head + 4, end), () => socket.write(answer))
        held = held.subarray(end)
      }
    })
    socket.on('error', () => socket.destroy())
  })
