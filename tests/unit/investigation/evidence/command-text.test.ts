import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indexOfName, standsInText } from "../../../../functions/investigation/evidence/command-text.ts";

const REPORTED = ["api-gateway", "shop", "edge-7", "/etc/mailer/relay.yml"];
const stands = (command: string, text: string, names: readonly string[] = []) =>
  standsInText(command, [{ text, names }], {
    names: ["api-gateway", "shop"],
    includes: (name) => REPORTED.includes(name),
  });
const code = (text: string) => `Do this:\n\n\`\`\`sh\n${text}\n\`\`\`\n`;

describe("a command stands in a source", () => {
  it.each([
    ["letter by letter", "docker ps --all", code("docker ps --all")],
    ["in a span of code", "docker ps --all", "First run `docker ps --all`, then wait."],
    ["in prose", "docker ps --all", "Ran docker ps --all, and then waited."],
    ["with a name of the report for a placeholder", "docker restart api-gateway", code("docker restart <container>")],
    ["for a variable", "docker restart api-gateway", code('docker restart "$CONTAINER"')],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell, as it stands in the runbook
    ["for a variable in braces", "docker restart api-gateway", code("docker restart ${CONTAINER}")],
    ["for a template", "docker restart api-gateway", code("docker restart {{ container }}")],
    ["for a part of a word", "kubectl logs deploy/api-gateway", code("kubectl logs deploy/<name>")],
    ["for a path", "chcon -t container_file_t /etc/mailer/relay.yml", code("chcon -t container_file_t <file>")],
    ["with its own placeholder", "docker restart <name>", code("docker restart <container>")],
    ["with a placeholder for a reported name", "docker restart <name>", code("docker restart api-gateway")],
    ["with another number", "docker update --memory 1g api-gateway", code("docker update --memory 512m <container>")],
    [
      "with a number for a placeholder",
      "docker update --memory 1g api-gateway",
      code("docker update --memory <limit> <container>"),
    ],
    [
      "with other quotes",
      "docker inspect --format '{{.State.OOMKilled}}' api-gateway",
      code('docker inspect --format "{{.State.OOMKilled}}" <container>'),
    ],
    ["with other blanks and line breaks", "docker  restart \\\n  api-gateway", code("docker restart <container>")],
    ["after a prompt", "docker ps", code("$ sudo docker ps")],
    ["before a pipe of the source", "docker ps", code("docker ps | head")],
    ["before a comment of the source", "docker ps", code("docker ps # all of them")],
    ["as one of several lines", "docker ps", code("docker stats\ndocker ps\ndocker top x")],
    ["as statements of several places", "docker ps && docker stats", `${code("docker stats")}${code("docker ps")}`],
    ["with another namespace", "kubectl get pods -n shop", code("kubectl get pods -n <namespace>")],
    [
      "with the reported namespace in place of an example",
      "kubectl get pods -n shop",
      code("kubectl get pods -n monitoring"),
    ],
    [
      "with the reported namespace added",
      "kubectl delete pod edge-7 --namespace=shop",
      code("kubectl delete pod <pod>"),
    ],
    [
      "with its options in other places",
      "docker inspect --format x api-gateway",
      code("docker inspect <container> --format x"),
    ],
    ["with words in SQL", 'psql -c "select 2 from x"', code("psql -c 'select 1 from x'")],
  ])("%s", (_case, command, text) => {
    expect(stands(command, text)).toBe(true);
  });

  it("with the target of the past incident replaced by that of the report", () => {
    const fix = "Ran docker restart cart, which helped.";
    expect(stands("docker restart api-gateway", fix, ["cart"])).toBe(true);
    expect(stands("docker restart api-gateway", fix)).toBe(false);
  });

  it("if it has no words", () => {
    expect(stands(" \n", "")).toBe(true);
  });
});

describe("a command does not stand in a source", () => {
  it.each([
    ["that has another program", "podman restart api-gateway", code("docker restart <container>")],
    ["that has another action", "docker rm api-gateway", code("docker restart <container>")],
    ["that has no such option", "docker rm -f api-gateway", code("docker rm <container>")],
    ["that has one more option", "docker rm api-gateway", code("docker rm <container> --link")],
    ["that has one more option in prose", "apt upgrade", "Run apt upgrade --dry-run first."],
    ["that has its words in another order", "cp b a", code("cp a b")],
    ["that gives an option another value", "tool --from b --to a", code("tool --from a --to b")],
    ["for a name that nobody reported", "docker restart billing-2", code("docker restart <container>")],
    ["with an option for a placeholder", "docker restart --all", code("docker restart <container>")],
    ["with a root directory for a placeholder", "rm -rf /", code("rm -rf <dir>")],
    ["with zero for another number", "kubectl scale --replicas=0", code("kubectl scale --replicas=3")],
    ["with a number for zero", "kubectl scale --replicas=3", code("kubectl scale --replicas=0")],
    ["with another signal", "kill -9 <pid>", code("kill -15 <pid>")],
    ["behind a pipe of the source", "sh", code("curl x | sh")],
    ["as a new pipe", "docker ps | docker stats", `${code("docker ps")}${code("docker stats")}`],
    ["if one statement is invented", "docker ps && reboot", code("docker ps")],
    ["as one word of prose", "reboot", "Do not reboot."],
    ["that drops a quoted blank", "rm -rf /data old", code('rm -rf "/data old"')],
    ["across two lines", "docker ps docker stats", code("docker ps\ndocker stats")],
    ["that is empty", "docker ps", ""],
  ])("%s", (_case, command, text) => {
    expect(stands(command, text)).toBe(false);
  });

  it("if there is no source, or the command is very long", () => {
    expect(standsInText("docker ps", [], { names: [], includes: () => true })).toBe(false);
    const long = `echo ${"x".repeat(5_000)}`;
    expect(stands(long, code(long))).toBe(false);
  });
});

describe("any command", () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9/.-]{0,8}$/);
  const option = fc.stringMatching(/^--?[a-z]{1,6}$/);
  const words = fc.array(fc.oneof({ weight: 3, arbitrary: word }, option), { minLength: 1, maxLength: 6 });

  it("stands in a source that holds it between other lines, and with names for its placeholders", () => {
    fc.assert(
      fc.property(word, words, fc.array(words), fc.nat(), (program, rest, others, place) => {
        const at = place % (rest.length + 1);
        const line = (name: string) => [program, ...rest.slice(0, at), name, ...rest.slice(at)].join(" ");
        const text = code([...others.map((each) => each.join(" ")), line("<object>"), "end"].join("\n"));
        expect(stands(line("edge-7"), text)).toBe(true);
        expect(stands(line("<other>"), text)).toBe(true);
      }),
    );
  });

  it("does not stand in a source without one of its words", () => {
    fc.assert(
      fc.property(word, words, (program, rest) => {
        const text = code([program, ...rest].join(" "));
        expect(stands([program, ...rest, "unheard-of"].join(" "), text)).toBe(false);
        expect(stands(["unheard-of", ...rest].join(" "), text)).toBe(false);
      }),
    );
  });

  it("does not stand in a hostile source", () => {
    const hostile = code(`${"<a>x".repeat(20)} `.repeat(2_000));
    for (const command of ["y".repeat(80), `${"y".repeat(80)} `.repeat(40), '"'.repeat(4_000)])
      expect(stands(command, hostile), command.slice(0, 10)).toBe(false);
  });
});

describe("the place of a name", () => {
  it.each([
    ["edge-7 fails", 0],
    ["at edge-7.", 3],
    ["edge-71 fails", -1],
    ["the-edge-7 fails", -1],
    ["edge-71 and edge-7", 12],
  ])("is that of the whole name in %j", (text, place) => {
    expect(indexOfName(text, "edge-7")).toBe(place);
  });
});
