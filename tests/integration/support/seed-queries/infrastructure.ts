// Graded questions about the runbooks of tools that deliver and of networks in AWS.

import { type GradedQueries, plain } from "./seed-query.ts";

export const INFRASTRUCTURE_QUERIES: GradedQueries = {
  easy: [
    plain(
      "helm-argocd/another-operation-in-progress",
      "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress",
    ),
    plain("helm-argocd/no-deployed-releases", 'Error: UPGRADE FAILED: "shop" has no deployed releases'),
    plain(
      "helm-argocd/resource-exists-invalid-ownership-metadata",
      "helm: exists and cannot be imported into the current release: invalid ownership metadata",
    ),
    plain(
      "helm-argocd/removed-api-version-no-matches-for-kind",
      'helm upgrade: resource mapping not found, no matches for kind "PodDisruptionBudget" in version "policy/v1beta1"',
    ),
    plain(
      "helm-argocd/argocd-manifest-generation-error",
      "Argo CD ComparisonError: Manifest generation error (cached)",
    ),
    plain(
      "helm-argocd/argocd-sync-annotations-too-long",
      "Argo CD sync failed: metadata.annotations: Too long: must have at most 262144 bytes",
    ),
    plain(
      "cert-manager/http01-propagation-check-failed",
      "cert-manager: Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'",
    ),
    plain(
      "cert-manager/dns01-record-not-propagated",
      'Waiting for DNS-01 challenge propagation: DNS record for "shop.example.com" not yet propagated',
    ),
    plain(
      "cert-manager/acme-rate-limited-429",
      "cert-manager order: 429 urn:ietf:params:acme:error:rateLimited: too many certificates already issued",
    ),
    plain(
      "cert-manager/webhook-unreachable",
      'failed calling webhook "webhook.cert-manager.io": x509: certificate signed by unknown authority',
    ),
    plain(
      "cert-manager/issuer-not-found-or-not-ready",
      'Referenced "ClusterIssuer" not found: clusterissuer.cert-manager.io "letsencrypt-prod" not found',
    ),
    plain(
      "terraform-opentofu/state-lock-not-acquired",
      "Error: Error acquiring the state lock, ConditionalCheckFailedException",
    ),
    plain(
      "terraform-opentofu/provider-checksum-lock-file-mismatch",
      "terraform: does not match any of the checksums recorded in the dependency lock file",
    ),
    plain(
      "terraform-opentofu/provider-produced-inconsistent-final-plan",
      "Error: Provider produced inconsistent final plan",
    ),
    plain(
      "terraform-opentofu/dependency-cycle",
      "terraform Error: Cycle: aws_security_group.frontend, aws_security_group.backend",
    ),
    plain(
      "terraform-opentofu/s3-state-checksum-mismatch",
      "terraform: state data in S3 does not have the expected content",
    ),
    plain(
      "github-actions-ci/no-runner-picks-up-the-job",
      "GitHub Actions job is queued: Waiting for a runner to pick up this job",
    ),
    plain(
      "github-actions-ci/runner-lost-communication",
      "The self-hosted runner: build-7 lost communication with the server",
    ),
    plain(
      "github-actions-ci/resource-not-accessible-by-integration",
      "HttpError: Resource not accessible by integration",
    ),
    plain(
      "github-actions-ci/artifact-name-conflict-409",
      "Failed to CreateArtifact: (409) Conflict: an artifact with this name already exists on the workflow run",
    ),
    plain("github-actions-ci/artifact-storage-quota", "Failed to CreateArtifact: Artifact storage quota has been hit"),
    plain(
      "github-actions-ci/oidc-role-not-assumed",
      "Could not assume role with OIDC: Not authorized to perform sts:AssumeRoleWithWebIdentity",
    ),
    plain(
      "aws-networking/vpc-cni-failed-to-assign-ip-subnet-exhausted",
      'plugin type="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
    ),
    plain(
      "aws-networking/alb-502-target-closed-connection-keep-alive",
      "ALB answers a few requests with 502, keep-alive of the target is shorter than the idle timeout",
    ),
    plain(
      "aws-networking/alb-504-target-does-not-answer-in-time",
      "AWS load balancer gives 504 Gateway Time-out after exactly 60 seconds",
    ),
    plain(
      "aws-networking/target-unhealthy-health-check-fails",
      "ELB targets are unhealthy: Target.ResponseCodeMismatch, Health checks failed with these codes: [404]",
    ),
    plain("aws-networking/nat-gateway-port-exhaustion", "NAT gateway ErrorPortAllocation is above 0"),
    plain(
      "aws-networking/vpc-resolver-dns-throttled",
      "linklocal_allowance_exceeded rises, the VPC resolver drops DNS queries",
    ),
  ],
  medium: [
    plain(
      "helm-argocd/another-operation-in-progress",
      "helm says the release is pending since somebody cancelled the pipeline",
    ),
    plain(
      "helm-argocd/no-deployed-releases",
      "helm refuses each upgrade because the very first install of the release failed",
    ),
    plain(
      "helm-argocd/resource-exists-invalid-ownership-metadata",
      "helm install stops because somebody created the same service account by hand",
    ),
    plain(
      "helm-argocd/removed-api-version-no-matches-for-kind",
      "no helm release can be upgraded since the cluster got its new version, old API versions",
    ),
    plain(
      "helm-argocd/argocd-manifest-generation-error",
      "argocd shows the application as Unknown, its chart does not render",
    ),
    plain(
      "helm-argocd/argocd-sync-annotations-too-long",
      "argocd cannot apply the new operator's large custom resource definitions",
    ),
    plain(
      "cert-manager/http01-propagation-check-failed",
      "cert-manager's challenge is pending, its own request gets the application's 404 page",
    ),
    plain(
      "cert-manager/dns01-record-not-propagated",
      "cert-manager does not see the TXT record although dig on my laptop does",
    ),
    plain(
      "cert-manager/acme-rate-limited-429",
      "let's encrypt gives us no more certificates this week, the test cluster asked for the same names daily",
    ),
    plain(
      "cert-manager/webhook-unreachable",
      "cannot create a ClusterIssuer right after installing cert-manager, its webhook refuses connections",
    ),
    plain("cert-manager/issuer-not-found-or-not-ready", "cert-manager waits, the issuer has no Ready condition"),
    plain(
      "terraform-opentofu/state-lock-not-acquired",
      "terraform waits for a lock that a cancelled pipeline left behind",
    ),
    plain(
      "terraform-opentofu/provider-checksum-lock-file-mismatch",
      "terraform init works on my Mac and fails in the Linux pipeline since the provider update",
    ),
    plain(
      "terraform-opentofu/provider-produced-inconsistent-final-plan",
      "terraform apply stops in the middle with a bug of the provider about tags_all, the second try works",
    ),
    plain(
      "terraform-opentofu/dependency-cycle",
      "terraform plan fails because two security groups refer to each other",
    ),
    plain(
      "terraform-opentofu/s3-state-checksum-mismatch",
      "terraform refuses the state since the bucket was restored, the digest in DynamoDB is another one",
    ),
    plain("github-actions-ci/no-runner-picks-up-the-job", "our self-hosted runners are offline and every job waits"),
    plain(
      "github-actions-ci/runner-lost-communication",
      "GitHub Actions jobs end in the middle without an error, the runner pod was killed",
    ),
    plain(
      "github-actions-ci/resource-not-accessible-by-integration",
      "the GitHub workflow may not comment on pull requests from forks, 403",
    ),
    plain("github-actions-ci/artifact-name-conflict-409", "matrix jobs fail at upload-artifact since we moved to v4"),
    plain(
      "github-actions-ci/artifact-storage-quota",
      "GitHub Actions cannot upload artifacts in any repository since today, storage is used up",
    ),
    plain(
      "github-actions-ci/oidc-role-not-assumed",
      "the GitHub workflow cannot get its AWS role since we added an environment",
    ),
    plain(
      "aws-networking/vpc-cni-failed-to-assign-ip-subnet-exhausted",
      "EKS subnet has no free addresses, new pods do not start",
    ),
    plain(
      "aws-networking/alb-502-target-closed-connection-keep-alive",
      "the application load balancer gives rare 502 although all targets are healthy and the Node.js log is empty",
    ),
    plain(
      "aws-networking/alb-504-target-does-not-answer-in-time",
      "the application load balancer ends the monthly export after a minute",
    ),
    plain(
      "aws-networking/target-unhealthy-health-check-fails",
      "the target group takes every new instance out, its health checks time out since the security group changed",
    ),
    plain(
      "aws-networking/nat-gateway-port-exhaustion",
      "AWS NAT gateway has no ports left for the payment provider at peak hours",
    ),
    plain(
      "aws-networking/vpc-resolver-dns-throttled",
      "EKS nodes lose DNS answers under load, the Amazon resolver takes 1024 packets a second only",
    ),
  ],
  hard: [
    plain(
      "helm-argocd/argocd-manifest-generation-error",
      "the deployment of yesterday never arrived, nobody sees an error in the cluster",
      "Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = Manifest generation error (cached): apps/shop: app path does not exist",
    ),
    plain(
      "cert-manager/http01-propagation-check-failed",
      "new shop domain shows the default certificate of the ingress since an hour",
      'E1120 14:20:08 sync.go:186] cert-manager/controller/challenges "msg"="propagation check failed" "error"="wrong status code \'404\', expected \'200\'" "dnsName"="shop.example.com"',
    ),
    plain(
      "cert-manager/dns01-record-not-propagated",
      "our wildcard is not renewed, the private zone has the same name",
      'Reason: Waiting for DNS-01 challenge propagation: Could not determine authoritative nameservers for "_acme-challenge.shop.example.com."',
    ),
    plain(
      "terraform-opentofu/dependency-cycle",
      "the plan of the network stack broke with yesterday's depends_on",
      "Error: Cycle: module.nodes.aws_instance.main (destroy), module.nodes.local.names (expand)",
    ),
    plain(
      "github-actions-ci/no-runner-picks-up-the-job",
      "nothing was deployed since noon, all jobs are yellow",
      "Requested labels: self-hosted, linux, arm64\nWaiting for a runner to pick up this job...",
    ),
  ],
  misspelt: [],
  codes: [
    plain("helm-argocd/another-operation-in-progress", "pending-upgrade"),
    plain("helm-argocd/no-deployed-releases", "cannot re-use a name that is still in use"),
    plain("helm-argocd/resource-exists-invalid-ownership-metadata", "invalid ownership metadata"),
    plain("helm-argocd/removed-api-version-no-matches-for-kind", "ensure CRDs are installed first"),
    plain("helm-argocd/argocd-sync-annotations-too-long", "metadata.annotations: Too long"),
    plain("cert-manager/acme-rate-limited-429", "urn:ietf:params:acme:error:rateLimited"),
    plain("cert-manager/webhook-unreachable", "webhook.cert-manager.io"),
    plain("cert-manager/issuer-not-found-or-not-ready", "IssuerNotReady"),
    plain("terraform-opentofu/state-lock-not-acquired", "Error acquiring the state lock"),
    plain("terraform-opentofu/provider-checksum-lock-file-mismatch", "Required plugins are not installed"),
    plain("terraform-opentofu/provider-produced-inconsistent-final-plan", "inconsistent final plan"),
    plain(
      "terraform-opentofu/s3-state-checksum-mismatch",
      "the checksum calculated for the state stored in S3 does not match",
    ),
    plain("github-actions-ci/runner-lost-communication", "lost communication with the server"),
    plain("github-actions-ci/resource-not-accessible-by-integration", "Resource not accessible by integration"),
    plain("github-actions-ci/artifact-name-conflict-409", "an artifact with this name already exists"),
    plain("github-actions-ci/artifact-storage-quota", "Artifact storage quota has been hit"),
    plain("github-actions-ci/oidc-role-not-assumed", "sts:AssumeRoleWithWebIdentity"),
    plain("aws-networking/vpc-cni-failed-to-assign-ip-subnet-exhausted", "InsufficientFreeAddressesInSubnet"),
    plain("aws-networking/alb-502-target-closed-connection-keep-alive", "HTTPCode_ELB_502_Count"),
    plain("aws-networking/alb-504-target-does-not-answer-in-time", "HTTPCode_ELB_504_Count"),
    plain("aws-networking/target-unhealthy-health-check-fails", "Target.FailedHealthChecks"),
    plain("aws-networking/nat-gateway-port-exhaustion", "ErrorPortAllocation"),
    plain("aws-networking/vpc-resolver-dns-throttled", "linklocal_allowance_exceeded"),
  ],
  "in passing": [],
  trap: [],
};
