/** Of `undici` only what keeps connections; all of it takes twice the memory. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export = Agent
}
