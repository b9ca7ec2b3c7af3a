// This part of undici is imported by its own path, because loading all of undici takes 45 ms and loading the part takes
// 17 ms.

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';
  export default Agent;
}
