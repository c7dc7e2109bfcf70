import { createApp } from './app.ts'
import { run } from './run.ts'

await run(createApp)
