// Reporter: tests that failed at first and passed at the second attempt. Each is a defect of the test or of the product.

import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

export default class SecondAttempts implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) =>
      [...module.children.allTests("passed")]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `  ${relative(process.cwd(), module.moduleId)} > ${test.fullName}${firstError(test.result())}`),
    );
    if (lines.length === 0) return;
    console.log(`\n${lines.length} of the passed tests needed a second attempt:\n${lines.join("\n")}`);
  }
}

function firstError({ errors }: { readonly errors?: readonly { readonly message: string }[] | undefined }): string {
  const message = errors?.[0]?.message.split("\n")[0];
  return message === undefined ? "" : `\n    ${message}`;
}
