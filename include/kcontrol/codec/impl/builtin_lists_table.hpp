// Written by scripts/generate-list-table.py; the format is described in builtin_lists.hpp.
#pragma once

#include <array>
#include <string_view>

namespace kcontrol::inline v0_1::detail {

// clang-format off
inline constexpr std::array<std::string_view, 1> builtin_lists_table = {
R"table(K - v1 Binding 0
K - v1 ComponentStatus 1
K - v1 ConfigMap 2
K - v1 Endpoints 3
K - v1 Event 4
K - v1 LimitRange 5
K - v1 Namespace 6
K - v1 Node 7
K - v1 PersistentVolume 8
K - v1 PersistentVolumeClaim 9
K - v1 Pod 10
K - v1 PodTemplate 11
K - v1 ReplicationController 12
K - v1 ResourceQuota 13
K - v1 Secret 14
K - v1 Service 15
K - v1 ServiceAccount 16
K admissionregistration.k8s.io v1 MutatingAdmissionPolicy 17
K admissionregistration.k8s.io v1 MutatingAdmissionPolicyBinding 18
K admissionregistration.k8s.io v1 MutatingWebhookConfiguration 19
K admissionregistration.k8s.io v1 ValidatingAdmissionPolicy 20
K admissionregistration.k8s.io v1 ValidatingAdmissionPolicyBinding 21
K admissionregistration.k8s.io v1 ValidatingWebhookConfiguration 22
K apiextensions.k8s.io v1 CustomResourceDefinition 23
K apiregistration.k8s.io v1 APIService 24
K apps v1 ControllerRevision 25
K apps v1 DaemonSet 26
K apps v1 Deployment 27
K apps v1 ReplicaSet 28
K apps v1 StatefulSet 29
K authentication.k8s.io v1 SelfSubjectReview 30
K authentication.k8s.io v1 TokenRequest 31
K authentication.k8s.io v1 TokenReview 32
K authorization.k8s.io v1 LocalSubjectAccessReview 33
K authorization.k8s.io v1 SelfSubjectAccessReview 34
K authorization.k8s.io v1 SelfSubjectRulesReview 35
K authorization.k8s.io v1 SubjectAccessReview 36
K autoscaling v1 HorizontalPodAutoscaler 37
K autoscaling v1 Scale 38
K autoscaling v2 HorizontalPodAutoscaler 39
K batch v1 CronJob 40
K batch v1 Job 41
K certificates.k8s.io v1 CertificateSigningRequest 42
K coordination.k8s.io v1 Lease 43
K discovery.k8s.io v1 EndpointSlice 44
K events.k8s.io v1 Event 45
K flowcontrol.apiserver.k8s.io v1 FlowSchema 46
K flowcontrol.apiserver.k8s.io v1 PriorityLevelConfiguration 47
K networking.k8s.io v1 IPAddress 48
K networking.k8s.io v1 Ingress 49
K networking.k8s.io v1 IngressClass 50
K networking.k8s.io v1 NetworkPolicy 51
K networking.k8s.io v1 ServiceCIDR 52
K node.k8s.io v1 RuntimeClass 53
K policy v1 Eviction 54
K policy v1 PodDisruptionBudget 55
K rbac.authorization.k8s.io v1 ClusterRole 56
K rbac.authorization.k8s.io v1 ClusterRoleBinding 57
K rbac.authorization.k8s.io v1 Role 58
K rbac.authorization.k8s.io v1 RoleBinding 59
K resource.k8s.io v1 DeviceClass 60
K resource.k8s.io v1 ResourceClaim 61
K resource.k8s.io v1 ResourceClaimTemplate 62
K resource.k8s.io v1 ResourceSlice 63
K scheduling.k8s.io v1 PriorityClass 64
K storage.k8s.io v1 CSIDriver 65
K storage.k8s.io v1 CSINode 66
K storage.k8s.io v1 CSIStorageCapacity 67
K storage.k8s.io v1 StorageClass 68
K storage.k8s.io v1 VolumeAttachment 69
K storage.k8s.io v1 VolumeAttributesClass 70
T 4 metadata=#410 target=#232
T 4 conditions=[]#160|type metadata=#410
T 6 metadata=#410
T 4 metadata=#410 subsets=[]#184
T 17 involvedObject=#232 metadata=#410 related=#232
T 4 metadata=#410 spec=#211
T 5 metadata=#410 status=#219
T 5 metadata=#410 spec=#229 status=#230
T 5 metadata=#410 spec=#238
T 5 metadata=#410 spec=#234 status=#235
T 5 metadata=#410 spec=#254 status=#255
T 4 metadata=#410 template=#256
T 5 metadata=#410 spec=#265 status=#266
T 5 metadata=#410 spec=#270
T 7 metadata=#410
T 5 metadata=#410 spec=#285 status=#286
T 6 imagePullSecrets=[]#215 metadata=#410 secrets=[]#232|name
T 4 metadata=#410 spec=#78
T 4 metadata=#410 spec=#77
T 4 metadata=#410 webhooks=[]#79|name
T 5 metadata=#410 spec=#87 status=#88
T 4 metadata=#410 spec=#86
T 4 metadata=#410 webhooks=[]#89|name
T 5 metadata=#410 spec=#395 status=#396
T 5 metadata=#410 status=#413
T 5 metadata=#410
T 5 metadata=#410 spec=#94 status=#95
T 5 metadata=#410 spec=#97 status=#98
T 5 metadata=#410 spec=#100 status=#101
T 5 metadata=#410 spec=#103 status=#104
T 4 metadata=#410
T 5 metadata=#410
T 5 metadata=#410
T 5 metadata=#410 spec=#111
T 5 metadata=#410 spec=#110
T 5 metadata=#410 status=#112
T 5 metadata=#410 spec=#111
T 5 metadata=#410
T 5 metadata=#410
T 5 metadata=#410 spec=#122 status=#123
T 5 metadata=#410 spec=#135 status=#136
T 5 metadata=#410 spec=#138 status=#139
T 5 metadata=#410 status=#148
T 4 metadata=#410
T 6 endpoints=[]#309 metadata=#410 ports=[]#312
T 17 metadata=#410 regarding=#232 related=#232
T 5 metadata=#410 spec=#316 status=#317
T 5 metadata=#410 status=#322
T 4 metadata=#410
T 5 metadata=#410 spec=#336 status=#337
T 4 metadata=#410
T 4 metadata=#410 spec=#343
T 5 metadata=#410 status=#345
T 6 metadata=#410 scheduling=#346
T 4 metadata=#410
T 5 metadata=#410 spec=#347 status=#348
T 5 aggregationRule=#349 metadata=#410 rules=[]#350
T 5 metadata=#410 subjects=[]#351
T 4 metadata=#410 rules=[]#350
T 5 metadata=#410 subjects=[]#351
T 4 metadata=#410 spec=#368
T 5 metadata=#410 spec=#382 status=#383
T 4 metadata=#410 spec=#384
T 4 metadata=#410 spec=#385
T 7 metadata=#410
T 4 metadata=#410 spec=#386
T 4 metadata=#410 spec=#388
T 7 metadata=#410 nodeTopology=#407
T 10 allowedTopologies=[]#294 metadata=#410
T 5 metadata=#410 spec=#391
T 5 metadata=#410
T 1
T 2
T 2
T 1
T 2
T 5 excludeResourceRules=[]#81 namespaceSelector=#407 objectSelector=#407 resourceRules=[]#81
T 3 matchResources=#76 paramRef=#82
T 7 matchConditions=[]#75|name matchConstraints=#76 mutations=[]#80 variables=[]#91
T 12 clientConfig=#92 matchConditions=[]#75|name namespaceSelector=#407 objectSelector=#407 rules=[]#83
T 3 applyConfiguration=#71 jsonPatch=#74
T 6
T 4 selector=#407
T 5
T 4
T 1 expressionWarnings=[]#73
T 4 matchResources=#76 paramRef=#82
T 7 auditAnnotations=[]#72 matchConditions=[]#75|name matchConstraints=#76 validations=[]#90 variables=[]#91|name
T 3 conditions=[]#405|type typeChecking=#85
T 11 clientConfig=#92 matchConditions=[]#75|name namespaceSelector=#407 objectSelector=#407 rules=[]#83
T 4
T 2
T 3 service=#84
T 5
T 5 selector=#407 template=#256
T 10 conditions=[]#93|type
T 6
T 8 selector=#407 template=#256
T 9 conditions=[]#96|type
T 5
T 4 selector=#407 template=#256
T 7 conditions=[]#99|type
T 5
T 11 selector=#407 template=#256 volumeClaimTemplates=[]#9
T 10 conditions=[]#102|type
T 2 requirements=[]#406
T 2 requirements=[]#408
T 2
T 9 fieldSelector=#105 labelSelector=#106
T 4
T 2 resourceAttributes=#108
T 6 resourceAttributes=#108
T 4 nonResourceRules=[]#107 resourceRules=[]#109
T 3 target=#127
T 3 current=#128
T 3
T 2 metric=#124 target=#127
T 2 current=#128 metric=#124
T 3
T 4 policies=[]#118
T 2 scaleDown=#119 scaleUp=#119
T 5
T 5 behavior=#120 metrics=[]#125 scaleTargetRef=#115
T 6 conditions=[]#121|type currentMetrics=[]#126
T 2 selector=#407
T 6 containerResource=#113 external=#116 object=#129 pods=#131 resource=#133
T 6 containerResource=#114 external=#117 object=#130 pods=#132 resource=#134
T 4
T 3
T 3 describedObject=#115 metric=#124 target=#127
T 3 current=#128 describedObject=#115 metric=#124
T 2 metric=#124 target=#127
T 2 current=#128 metric=#124
T 2 target=#127
T 2 current=#128
T 8 jobTemplate=#140
T 3 active=[]#232
T 6
T 16 podFailurePolicy=#141 selector=#407 successPolicy=#145 template=#256
T 11 conditions=[]#137
T 2 metadata=#410 spec=#138
T 1 rules=[]#144
T 3
T 2
T 3 onExitCodes=#142 onPodConditions=[]#143
T 1 rules=[]#146
T 2
T 6
T 2 conditions=[]#147|type
T 4
T 3 nodeAffinity=#221 podAffinity=#240 podAntiAffinity=#242
T 2
T 2
T 6
T 3
T 5 nodePublishSecretRef=#215
T 2
T 6 secretRef=#215
T 4 secretRef=#215
T 5 labelSelector=#407
T 4
T 2
T 3
T 3 items=[]#207
T 4 items=[]#207
T 25 env=[]#186|name envFrom=[]#185 lifecycle=#208 livenessProbe=#260 ports=[]#168|containerPort+protocol~"TCP" readinessProbe=#260 resizePolicy=[]#169 resources=#271 restartPolicyRules=[]#170 securityContext=#282 startupProbe=#260 volumeDevices=[]#299|devicePath volumeMounts=[]#300|mountPath
T 3
T 2
T 5
T 2
T 2 exitCodes=#171
T 2
T 3 running=#173 terminated=#174 waiting=#175
T 1
T 7
T 2
T 15 allocatedResourcesStatus=[]#272|name lastState=#172 resources=#271 state=#172 user=#177 volumeMounts=[]#301|mountPath
T 1 linux=#212
T 1 items=[]#179
T 4 fieldRef=#231 resourceFieldRef=#268
T 2 items=[]#179
T 2
T 4 targetRef=#232
T 4
T 3 addresses=[]#182 notReadyAddresses=[]#182 ports=[]#183
T 3 configMapRef=#161 secretRef=#278
T 3 valueFrom=#187
T 5 configMapKeyRef=#162 fieldRef=#231 fileKeyRef=#192 resourceFieldRef=#268 secretKeyRef=#279
T 26 env=[]#186|name envFrom=[]#185 lifecycle=#208 livenessProbe=#260 ports=[]#168|containerPort+protocol~"TCP" readinessProbe=#260 resizePolicy=[]#169 resources=#271 restartPolicyRules=[]#170 securityContext=#282 startupProbe=#260 volumeDevices=[]#299|devicePath volumeMounts=[]#300|mountPath
T 1 volumeClaimTemplate=#236
T 1
T 5
T 4
T 5 secretRef=#215
T 2
T 4
T 2
T 3
T 3
T 5 httpHeaders=[]#200
T 2
T 2
T 1
T 2
T 11 secretRef=#215
T 2
T 1
T 3
T 3 postStart=#209 preStop=#209
T 4 exec=#190 httpGet=#199 sleep=#287 tcpSocket=#290
T 6
T 1 limits=[]#210
T 3
T 4 ports=[]#257
T 1 ingress=[]#213
T 1
T 2
T 3
T 5
T 2 conditions=[]#218|type
T 2
T 2 preferredDuringSchedulingIgnoredDuringExecution=[]#259 requiredDuringSchedulingIgnoredDuringExecution=#226
T 3
T 6
T 2 features=#225
T 2
T 1 nodeSelectorTerms=[]#228
T 3
T 2 matchExpressions=[]#227 matchFields=[]#227
T 7 taints=[]#291
T 14 addresses=[]#220|type conditions=[]#223|type images=[]#167 runtimeHandlers=[]#224 volumesAttached=[]#152
T 2
T 7
T 6
T 9 dataSource=#296 dataSourceRef=#297 resources=#304 selector=#407
T 8 conditions=[]#233|type modifyVolumeStatus=#216
T 2 metadata=#410 spec=#234
T 2
T 31 awsElasticBlockStore=#149 azureDisk=#153 claimRef=#232 fc=#191 flocker=#194 gcePersistentDisk=#195 hostPath=#203 nfs=#217 nodeAffinity=#302 photonPersistentDisk=#239 portworxVolume=#258 quobyte=#262 vsphereVolume=#306
T 2
T 2 preferredDuringSchedulingIgnoredDuringExecution=[]#307 requiredDuringSchedulingIgnoredDuringExecution=[]#241
T 6 labelSelector=#407 namespaceSelector=#407
T 2 preferredDuringSchedulingIgnoredDuringExecution=[]#307 requiredDuringSchedulingIgnoredDuringExecution=[]#241
T 7
T 7
T 3 options=[]#246
T 2
T 2 requestMappings=[]#166
T 1
T 1
T 3
T 2
T 1
T 13 appArmorProfile=#151 seLinuxOptions=#273 seccompProfile=#277 sysctls=[]#289 windowsOptions=#308
T 42 affinity=#150 containers=[]#165|name dnsConfig=#245 ephemeralContainers=[]#188|name hostAliases=[]#201|ip imagePullSecrets=[]#215|name initContainers=[]#165|name readinessGates=[]#249 resourceClaims=[]#250|name resources=#271 schedulingGates=[]#252|name securityContext=#253 tolerations=[]#292 topologySpreadConstraints=[]#295|topologyKey+whenUnsatisfiable volumes=[]#298|name
T 21 conditions=[]#244|type containerStatuses=[]#176 ephemeralContainerStatuses=[]#176 extendedResourceClaimStatus=#247 hostIPs=[]#202 initContainerStatuses=[]#176 nodeAllocatableResourceClaimStatuses=[]#222 podIPs=[]#248|ip resourceClaimStatuses=[]#251|name resources=#271
T 2 metadata=#410 spec=#254
T 3
T 3
T 2 preference=#228
T 10 exec=#190 grpc=#196 httpGet=#199 tcpSocket=#290
T 2 sources=[]#303
T 6
T 8 secretRef=#215
T 5
T 4 template=#256
T 6 conditions=[]#264|type
T 2
T 3
T 3
T 3 scopeSelector=#275
T 3 claims=[]#267|name
T 2 resources=[]#269|resourceID
T 4
T 10 secretRef=#215
T 1 matchExpressions=[]#276
T 3
T 2
T 2
T 3
T 3 items=[]#207
T 4 items=[]#207
T 12 appArmorProfile=#151 capabilities=#156 seLinuxOptions=#273 seccompProfile=#277 windowsOptions=#308
T 3
T 6
T 20 ports=[]#284|port+protocol~"TCP"
T 2 conditions=[]#405|type loadBalancer=#214
T 1
T 5 secretRef=#215
T 2
T 2
T 4
T 5
T 2
T 1 matchLabelExpressions=[]#293
T 8 labelSelector=#407
T 3
T 4
T 31 awsElasticBlockStore=#149 azureDisk=#153 azureFile=#154 cephfs=#157 cinder=#158 configMap=#164 csi=#155 downwardAPI=#180 emptyDir=#181 ephemeral=#189 fc=#191 flexVolume=#193 flocker=#194 gcePersistentDisk=#195 gitRepo=#197 glusterfs=#198 hostPath=#203 image=#205 iscsi=#204 nfs=#217 persistentVolumeClaim=#237 photonPersistentDisk=#239 portworxVolume=#258 projected=#261 quobyte=#262 rbd=#263 scaleIO=#274 secret=#281 storageos=#288 vsphereVolume=#306
T 2
T 7
T 5 volumeStatus=#305
T 1 required=#226
T 6 clusterTrustBundle=#159 configMap=#163 downwardAPI=#178 podCertificate=#243 secret=#280 serviceAccountToken=#283
T 2
T 1 image=#206
T 4
T 2 podAffinityTerm=#241
T 4
T 8 conditions=#310 hints=#311 targetRef=#232
T 3
T 2 forNodes=[]#313 forZones=[]#314
T 4
T 1
T 1
T 5
T 4 rules=[]#320
T 1 conditions=[]#315|type
T 1
T 2
T 3 nonResourceRules=[]#319 resourceRules=[]#323 subjects=[]#325
T 5
T 1 conditions=[]#321|type
T 5
T 2
T 4 group=#318 serviceAccount=#324 user=#326
T 1
T 3 backend=#330
T 1 paths=[]#327
T 2
T 2 resource=#296 service=#335
T 3 ports=[]#333
T 1 ingress=[]#331
T 3
T 2 http=#328
T 2 port=#344
T 4 defaultBackend=#330 rules=[]#334 tls=[]#338
T 1 loadBalancer=#332
T 2
T 2 ports=[]#342 to=[]#341
T 2 from=[]#341 ports=[]#342
T 3 ipBlock=#329 namespaceSelector=#407 podSelector=#407
T 3
T 4 egress=[]#339 ingress=[]#340 podSelector=#407
T 2
T 1 conditions=[]#405|type
T 2 tolerations=[]#292
T 4 selector=#407
T 7 conditions=[]#405|type
T 1 clusterRoleSelectors=[]#407
T 5
T 4
T 7 conditions=[]#405|type networkData=#378
T 3 devices=#362 nodeSelector=#226
T 1
T 3 validRange=#356
T 3
T 1
T 1
T 2 counters={}#358
T 13 attributes={}#363 capacity={}#364 consumesCounters=[]#370 nodeAllocatableResourceMappings={}#379 nodeSelector=#226 taints=[]#375
T 3 opaque=#380
T 2 config=[]#361 results=[]#372
T 8
T 2 requestPolicy=#355
T 3 config=[]#366 constraints=[]#369 requests=[]#371
T 2 opaque=#380
T 1 opaque=#380
T 3 config=[]#367 selectors=[]#373
T 3
T 2 counters={}#358
T 3 exactly=#377 firstAvailable=[]#374
T 10 tolerations=[]#376
T 1 cel=#354
T 7 capacity=#357 selectors=[]#373 tolerations=[]#376
T 4
T 5
T 7 capacity=#357 selectors=[]#373 tolerations=[]#376
T 3
T 2
T 2
T 4
T 1 devices=#365
T 3 allocation=#353 devices=[]#352|driver+device+pool+shareID reservedFor=[]#381|uid
T 2 metadata=#410 spec=#382
T 8 devices=[]#360 nodeSelector=#226 sharedCounters=[]#359
T 11 tokenRequests=[]#389
T 4 allocatable=#392
T 1 drivers=[]#387|name
T 2
T 2 inlineVolumeSpec=#238
T 3 source=#390
T 1
T 6
T 6
T 6 versions=[]#397
T 4 conditions=[]#394|type
T 9 additionalPrinterColumns=[]#393 schema=#400 selectableFields=[]#403 subresources=#399
T 3
T 2 scale=#398
T 1 openAPIV3Schema=#402
T 2
T 44 allOf=[]#402 anyOf=[]#402 definitions={}#402 externalDocs=#401 not=#402 oneOf=[]#402 patternProperties={}#402 properties={}#402 x-kubernetes-validations=[]#404|rule
T 1
T 6
T 6
T 3
T 2 matchExpressions=[]#408
T 3
T 7
T 15 managedFields=[]#409 ownerReferences=[]#411|uid
T 6
T 5
T 1 conditions=[]#412|type
)table",
};
// clang-format on

}  // namespace kcontrol::detail
