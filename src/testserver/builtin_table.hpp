// Written by scripts/generate-apiserver-table.py; the format is said in builtin_schema.hpp.
#pragma once

#include <array>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

// clang-format off
inline constexpr std::array<std::string_view, 3> builtin_table = {
R"table(K - v1 bindings binding Binding N c - - - - 0
K - v1 componentstatuses componentstatus ComponentStatus C gl cs - - - 1
K - v1 configmaps configmap ConfigMap N cdDglpuw cm - - qFsyl6wFWjQ= 2
K - v1 endpoints endpoints Endpoints N cdDglpuw ep - - fWeeMqaN/OA= 3
K - v1 events event Event N cdDglpuw ev - - r2yiGXH7wu8= 4
K - v1 limitranges limitrange LimitRange N cdDglpuw limits - - EBKMFVe6cwo= 5
K - v1 namespaces namespace Namespace C cdglpuw ns - finalize:::Namespace:u,status:::Namespace:gpu Q3oi5N2YM8M= 6
K - v1 nodes node Node C cdDglpuw no - proxy:::NodeProxyOptions:cdgpu,status:::Node:gpu XwShjMxG9Fs= 7
K - v1 persistentvolumeclaims persistentvolumeclaim PersistentVolumeClaim N cdDglpuw pvc - status:::PersistentVolumeClaim:gpu QWTyNDq0dC4= 8
K - v1 persistentvolumes persistentvolume PersistentVolume C cdDglpuw pv - status:::PersistentVolume:gpu HN/zwEC+JgM= 9
K - v1 pods pod Pod N cdDglpuw po all attach:::PodAttachOptions:cg,binding:::Binding:c,ephemeralcontainers:::Pod:gpu,eviction:policy:v1:Eviction:c,exec:::PodExecOptions:cg,log:::Pod:g,portforward:::PodPortForwardOptions:cg,proxy:::PodProxyOptions:cdgpu,resize:::Pod:gpu,status:::Pod:gpu xPOwRZ+Yhw8= 10
K - v1 podtemplates podtemplate PodTemplate N cdDglpuw - - - LIXB2x4IFpk= 11
K - v1 replicationcontrollers replicationcontroller ReplicationController N cdDglpuw rc all scale:autoscaling:v1:Scale:gpu,status:::ReplicationController:gpu Jond2If31h0= 12
K - v1 resourcequotas resourcequota ResourceQuota N cdDglpuw quota - status:::ResourceQuota:gpu 8uhSgffRX6w= 13
K - v1 secrets secret Secret N cdDglpuw - - - S6u1pOWzb84= 14
K - v1 serviceaccounts serviceaccount ServiceAccount N cdDglpuw sa - token:authentication.k8s.io:v1:TokenRequest:c pbx9ZvyFpBE= 15
K - v1 services service Service N cdDglpuw svc all proxy:::ServiceProxyOptions:cdgpu,status:::Service:gpu 0/CO1lhkEBI= 16
K apiregistration.k8s.io v1 apiservices apiservice APIService C cdDglpuw - api-extensions status:::APIService:gpu InPBPD7+PqM= 17
K apps v1 controllerrevisions controllerrevision ControllerRevision N cdDglpuw - - - 85nkx63pcBU= 18
K apps v1 daemonsets daemonset DaemonSet N cdDglpuw ds all status:::DaemonSet:gpu dd7pWHUlMKQ= 19
K apps v1 deployments deployment Deployment N cdDglpuw deploy all scale:autoscaling:v1:Scale:gpu,status:::Deployment:gpu 8aSe+NMegvE= 20
K apps v1 replicasets replicaset ReplicaSet N cdDglpuw rs all scale:autoscaling:v1:Scale:gpu,status:::ReplicaSet:gpu P1RzHs8/mWQ= 21
K apps v1 statefulsets statefulset StatefulSet N cdDglpuw sts all scale:autoscaling:v1:Scale:gpu,status:::StatefulSet:gpu H+vl74LkKdo= 22
K events.k8s.io v1 events event Event N cdDglpuw ev - - r2yiGXH7wu8= 23
K authentication.k8s.io v1 selfsubjectreviews selfsubjectreview SelfSubjectReview C c - - - - 24
K authentication.k8s.io v1 tokenreviews tokenreview TokenReview C c - - - - 25
K authorization.k8s.io v1 localsubjectaccessreviews localsubjectaccessreview LocalSubjectAccessReview N c - - - - 26
K authorization.k8s.io v1 selfsubjectaccessreviews selfsubjectaccessreview SelfSubjectAccessReview C c - - - - 27
K authorization.k8s.io v1 selfsubjectrulesreviews selfsubjectrulesreview SelfSubjectRulesReview C c - - - - 28
K authorization.k8s.io v1 subjectaccessreviews subjectaccessreview SubjectAccessReview C c - - - - 29
K autoscaling v2 horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N cdDglpuw hpa all status:::HorizontalPodAutoscaler:gpu qwQve8ut294= 30
K autoscaling v1 horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N cdDglpuw hpa all status:::HorizontalPodAutoscaler:gpu qwQve8ut294= 31
K batch v1 cronjobs cronjob CronJob N cdDglpuw cj all status:::CronJob:gpu sd5LIXh4Fjs= 32
K batch v1 jobs job Job N cdDglpuw - all status:::Job:gpu mudhfqk/qZY= 33
K certificates.k8s.io v1 certificatesigningrequests certificatesigningrequest CertificateSigningRequest C cdDglpuw csr - approval:::CertificateSigningRequest:gpu,status:::CertificateSigningRequest:gpu 95fRKMXA+00= 34
K networking.k8s.io v1 ingressclasses ingressclass IngressClass C cdDglpuw - - - l/iqIbDgFyQ= 35
K networking.k8s.io v1 ingresses ingress Ingress N cdDglpuw ing - status:::Ingress:gpu 39NQlfNR+bo= 36
K networking.k8s.io v1 ipaddresses ipaddress IPAddress C cdDglpuw ip - - 3f/plJFChNE= 37
K networking.k8s.io v1 networkpolicies networkpolicy NetworkPolicy N cdDglpuw netpol - - YpfwF18m1G8= 38
K networking.k8s.io v1 servicecidrs servicecidr ServiceCIDR C cdDglpuw - - status:::ServiceCIDR:gpu gNLvruQhW2g= 39
K policy v1 poddisruptionbudgets poddisruptionbudget PodDisruptionBudget N cdDglpuw pdb - status:::PodDisruptionBudget:gpu EVWiDmWqyJw= 40
K rbac.authorization.k8s.io v1 clusterrolebindings clusterrolebinding ClusterRoleBinding C cdDglpuw - - - 48tpQ8gZHFc= 41
K rbac.authorization.k8s.io v1 clusterroles clusterrole ClusterRole C cdDglpuw - - - bYE5ZWDrJ44= 42
K rbac.authorization.k8s.io v1 rolebindings rolebinding RoleBinding N cdDglpuw - - - eGsCzGH6b1g= 43
K rbac.authorization.k8s.io v1 roles role Role N cdDglpuw - - - 7FuwZcIIItM= 44
K storage.k8s.io v1 csidrivers csidriver CSIDriver C cdDglpuw - - - hL6j/rwBV5w= 45
K storage.k8s.io v1 csinodes csinode CSINode C cdDglpuw - - - Pe62DkZtjuo= 46
K storage.k8s.io v1 csistoragecapacities csistoragecapacity CSIStorageCapacity N cdDglpuw - - - xeVl+2Ly1kE= 47
K storage.k8s.io v1 storageclasses storageclass StorageClass C cdDglpuw sc - - K+m6uJwbjGY= 48
K storage.k8s.io v1 volumeattachments volumeattachment VolumeAttachment C cdDglpuw - - status:::VolumeAttachment:gpu tJx/ezt6UDU= 49
K storage.k8s.io v1 volumeattributesclasses volumeattributesclass VolumeAttributesClass C cdDglpuw vac - - tIjydgKBC5w= 50
K admissionregistration.k8s.io v1 mutatingadmissionpolicies mutatingadmissionpolicy MutatingAdmissionPolicy C cdDglpuw - api-extensions - LYmCf+UMVdg= 51
K admissionregistration.k8s.io v1 mutatingadmissionpolicybindings mutatingadmissionpolicybinding MutatingAdmissionPolicyBinding C cdDglpuw - api-extensions - 90V5FRZZ3Zg= 52
K admissionregistration.k8s.io v1 mutatingwebhookconfigurations mutatingwebhookconfiguration MutatingWebhookConfiguration C cdDglpuw - api-extensions - Sqi0GUgDaX0= 53
K admissionregistration.k8s.io v1 validatingadmissionpolicies validatingadmissionpolicy ValidatingAdmissionPolicy C cdDglpuw - api-extensions status:::ValidatingAdmissionPolicy:gpu 6OxvlMmQ6is= 54
K admissionregistration.k8s.io v1 validatingadmissionpolicybindings validatingadmissionpolicybinding ValidatingAdmissionPolicyBinding C cdDglpuw - api-extensions - v9715VZqakg= 55
K admissionregistration.k8s.io v1 validatingwebhookconfigurations validatingwebhookconfiguration ValidatingWebhookConfiguration C cdDglpuw - api-extensions - B0wHjQmsGNk= 56
K apiextensions.k8s.io v1 customresourcedefinitions customresourcedefinition CustomResourceDefinition C cdDglpuw crd,crds api-extensions status:::CustomResourceDefinition:gpu jfWCUB31mvA= 57
K scheduling.k8s.io v1 priorityclasses priorityclass PriorityClass C cdDglpuw pc - - 1QwjyaZjj3Y= 58
K coordination.k8s.io v1 leases lease Lease N cdDglpuw - - - gqkMMb/YqFM= 59
K node.k8s.io v1 runtimeclasses runtimeclass RuntimeClass C cdDglpuw - - - WQTu1GL3T2Q= 60
K discovery.k8s.io v1 endpointslices endpointslice EndpointSlice N cdDglpuw - - - qgS0xkrxYAI= 61
K resource.k8s.io v1 deviceclasses deviceclass DeviceClass C cdDglpuw - - - Yk2PTc1Ybxk= 62
K resource.k8s.io v1 resourceclaims resourceclaim ResourceClaim N cdDglpuw - - status:::ResourceClaim:gpu wgAZaHcZxUg= 63
K resource.k8s.io v1 resourceclaimtemplates resourceclaimtemplate ResourceClaimTemplate N cdDglpuw - - - TuzjC49aUfM= 64
K resource.k8s.io v1 resourceslices resourceslice ResourceSlice C cdDglpuw - - - KsC072WgaEY= 65
K flowcontrol.apiserver.k8s.io v1 flowschemas flowschema FlowSchema C cdDglpuw - - status:::FlowSchema:gpu GJVAJZSZBIw= 66
K flowcontrol.apiserver.k8s.io v1 prioritylevelconfigurations prioritylevelconfiguration PriorityLevelConfiguration C cdDglpuw - - status:::PriorityLevelConfiguration:gpu Kir5PVfvNeI= 67
T core.v1.Binding - apiVersion=s|p kind=s|p metadata=#68 target=#69|z|r
T core.v1.ComponentStatus - apiVersion=s|p conditions=[#70|m:type|M:type kind=s|p metadata=#68
T core.v1.ConfigMap - apiVersion=s|p binaryData={y data={s immutable=b|p kind=s|p metadata=#68
T core.v1.Endpoints - apiVersion=s|p kind=s|p metadata=#68 subsets=[#71
T core.v1.Event - action=s apiVersion=s|p count=i eventTime=u firstTimestamp=t involvedObject=#69|z|r kind=s|p lastTimestamp=t message=s metadata=#68|z|r reason=s related=#69|p reportingComponent=s|z reportingInstance=s|z series=#72|p source=#73 type=s
T core.v1.LimitRange - apiVersion=s|p kind=s|p metadata=#68 spec=#74
T core.v1.Namespace - apiVersion=s|p kind=s|p metadata=#68 spec=#75 status=#76
T core.v1.Node - apiVersion=s|p kind=s|p metadata=#68 spec=#77 status=#78
T core.v1.PersistentVolumeClaim - apiVersion=s|p kind=s|p metadata=#68 spec=#79 status=#80
T core.v1.PersistentVolume - apiVersion=s|p kind=s|p metadata=#68 spec=#81 status=#82
T core.v1.Pod - apiVersion=s|p kind=s|p metadata=#68 spec=#83 status=#84
T core.v1.PodTemplate - apiVersion=s|p kind=s|p metadata=#68 template=#85
T core.v1.ReplicationController - apiVersion=s|p kind=s|p metadata=#68 spec=#86 status=#87
T core.v1.ResourceQuota - apiVersion=s|p kind=s|p metadata=#68 spec=#88 status=#89
T core.v1.Secret - apiVersion=s|p data={y immutable=b|p kind=s|p metadata=#68 stringData={s type=s
T core.v1.ServiceAccount - apiVersion=s|p automountServiceAccountToken=b|p imagePullSecrets=[#90 kind=s|p metadata=#68 secrets=[#69|m:name|M:name
T core.v1.Service - apiVersion=s|p kind=s|p metadata=#68 spec=#91 status=#92
T kube-aggregator.pkg.apis.apiregistration.v1.APIService - apiVersion=s|p kind=s|p metadata=#68 spec=#93 status=#94
T apps.v1.ControllerRevision - apiVersion=s|p data=r kind=s|p metadata=#68 revision=l|z|r
T apps.v1.DaemonSet - apiVersion=s|p kind=s|p metadata=#68 spec=#95 status=#96
T apps.v1.Deployment - apiVersion=s|p kind=s|p metadata=#68 spec=#97 status=#98
T apps.v1.ReplicaSet - apiVersion=s|p kind=s|p metadata=#68 spec=#99 status=#100
T apps.v1.StatefulSet - apiVersion=s|p kind=s|p metadata=#68 spec=#101 status=#102
T events.v1.Event - action=s apiVersion=s|p deprecatedCount=i deprecatedFirstTimestamp=t deprecatedLastTimestamp=t deprecatedSource=#73 eventTime=u|z|r kind=s|p metadata=#68|z note=s reason=s regarding=#69 related=#69|p reportingController=s reportingInstance=s series=#103|p type=s
T authentication.v1.SelfSubjectReview - apiVersion=s|p kind=s|p metadata=#68 status=#104
T authentication.v1.TokenReview - apiVersion=s|p kind=s|p metadata=#68 spec=#105|z|r status=#106
T authorization.v1.LocalSubjectAccessReview - apiVersion=s|p kind=s|p metadata=#68 spec=#107|z|r status=#108
T authorization.v1.SelfSubjectAccessReview - apiVersion=s|p kind=s|p metadata=#68 spec=#109|z|r status=#108
T authorization.v1.SelfSubjectRulesReview - apiVersion=s|p kind=s|p metadata=#68 spec=#110|z|r status=#111
T authorization.v1.SubjectAccessReview - apiVersion=s|p kind=s|p metadata=#68 spec=#107|z|r status=#108
T autoscaling.v2.HorizontalPodAutoscaler - apiVersion=s|p kind=s|p metadata=#68 spec=#112|r status=#113
T autoscaling.v1.HorizontalPodAutoscaler - apiVersion=s|p kind=s|p metadata=#68 spec=#114|r status=#115
T batch.v1.CronJob - apiVersion=s|p kind=s|p metadata=#68 spec=#116|r status=#117
T batch.v1.Job - apiVersion=s|p kind=s|p metadata=#68 spec=#118 status=#119
T certificates.v1.CertificateSigningRequest - apiVersion=s|p kind=s|p metadata=#68 spec=#120|z|r status=#121
T networking.v1.IngressClass - apiVersion=s|p kind=s|p metadata=#68 spec=#122
T networking.v1.Ingress - apiVersion=s|p kind=s|p metadata=#68 spec=#123 status=#124
T networking.v1.IPAddress - apiVersion=s|p kind=s|p metadata=#68 spec=#125|r
T networking.v1.NetworkPolicy - apiVersion=s|p kind=s|p metadata=#68 spec=#126
T networking.v1.ServiceCIDR - apiVersion=s|p kind=s|p metadata=#68 spec=#127 status=#128
T policy.v1.PodDisruptionBudget - apiVersion=s|p kind=s|p metadata=#68 spec=#129 status=#130
T rbac.v1.ClusterRoleBinding - apiVersion=s|p kind=s|p metadata=#68 roleRef=#131|z|r subjects=[#132
T rbac.v1.ClusterRole - aggregationRule=#133|p apiVersion=s|p kind=s|p metadata=#68 rules=[#134|z
T rbac.v1.RoleBinding - apiVersion=s|p kind=s|p metadata=#68 roleRef=#131|z|r subjects=[#132
T rbac.v1.Role - apiVersion=s|p kind=s|p metadata=#68 rules=[#134|z
T storage.v1.CSIDriver - apiVersion=s|p kind=s|p metadata=#68 spec=#135|z|r
T storage.v1.CSINode - apiVersion=s|p kind=s|p metadata=#68 spec=#136|z|r
T storage.v1.CSIStorageCapacity - apiVersion=s|p capacity=q|p kind=s|p maximumVolumeSize=q|p metadata=#68 nodeTopology=#137|p storageClassName=s|z|r
T storage.v1.StorageClass - allowVolumeExpansion=b|p allowedTopologies=[#138 apiVersion=s|p kind=s|p metadata=#68 mountOptions=[s parameters={s provisioner=s|z|r reclaimPolicy=s|p|e:Delete+Recycle+Retain volumeBindingMode=s|p|e:Immediate+WaitForFirstConsumer
T storage.v1.VolumeAttachment - apiVersion=s|p kind=s|p metadata=#68 spec=#139|z|r status=#140
T storage.v1.VolumeAttributesClass - apiVersion=s|p driverName=s|z|r kind=s|p metadata=#68 parameters={s
T admissionregistration.v1.MutatingAdmissionPolicy - apiVersion=s|p kind=s|p metadata=#68 spec=#141
T admissionregistration.v1.MutatingAdmissionPolicyBinding - apiVersion=s|p kind=s|p metadata=#68 spec=#142
T admissionregistration.v1.MutatingWebhookConfiguration - apiVersion=s|p kind=s|p metadata=#68 webhooks=[#143|m:name|M:name
T admissionregistration.v1.ValidatingAdmissionPolicy - apiVersion=s|p kind=s|p metadata=#68 spec=#144 status=#145
T admissionregistration.v1.ValidatingAdmissionPolicyBinding - apiVersion=s|p kind=s|p metadata=#68 spec=#146|r
T admissionregistration.v1.ValidatingWebhookConfiguration - apiVersion=s|p kind=s|p metadata=#68 webhooks=[#147|m:name|M:name
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition - apiVersion=s|p kind=s|p metadata=#68 spec=#148|z|r status=#149
T scheduling.v1.PriorityClass - apiVersion=s|p description=s globalDefault=b kind=s|p metadata=#68 preemptionPolicy=s|p|e:Never+PreemptLowerPriority value=i|z
T coordination.v1.Lease - apiVersion=s|p kind=s|p metadata=#68 spec=#150
T node.v1.RuntimeClass - apiVersion=s|p handler=s|z|r kind=s|p metadata=#68 overhead=#151|p scheduling=#152|p
T discovery.v1.EndpointSlice - addressType=s|z|r|e:FQDN+IPv4+IPv6 apiVersion=s|p endpoints=[#153|z kind=s|p metadata=#68 ports=[#154|z
T resource.v1.DeviceClass - apiVersion=s|p kind=s|p metadata=#68 spec=#155|z|r
T resource.v1.ResourceClaim - apiVersion=s|p kind=s|p metadata=#68 spec=#156|z|r status=#157
T resource.v1.ResourceClaimTemplate - apiVersion=s|p kind=s|p metadata=#68 spec=#158|z|r
T resource.v1.ResourceSlice - apiVersion=s|p kind=s|p metadata=#68 spec=#159|z|r
T flowcontrol.v1.FlowSchema - apiVersion=s|p kind=s|p metadata=#68 spec=#160 status=#161
T flowcontrol.v1.PriorityLevelConfiguration - apiVersion=s|p kind=s|p metadata=#68 spec=#162 status=#163
T apimachinery.pkg.apis.meta.v1.ObjectMeta - annotations={s creationTimestamp=t deletionGracePeriodSeconds=l|p deletionTimestamp=t|p finalizers=[s|s|M: generateName=s generation=l labels={s managedFields=[#164 name=s namespace=s ownerReferences=[#165|m:uid|M:uid resourceVersion=s selfLink=s uid=s
T core.v1.ObjectReference a apiVersion=s fieldPath=s kind=s name=s namespace=s resourceVersion=s uid=s
T core.v1.ComponentCondition - error=s message=s status=s|z|r type=s|z|r
T core.v1.EndpointSubset - addresses=[#166 notReadyAddresses=[#166 ports=[#167
T core.v1.EventSeries - count=i lastObservedTime=u
T core.v1.EventSource - component=s host=s
T core.v1.LimitRangeSpec - limits=[#168|z|r
T core.v1.NamespaceSpec - finalizers=[s
T core.v1.NamespaceStatus - conditions=[#169|m:type|M:type phase=s|e:Active+Terminating
T core.v1.NodeSpec - configSource=#170|p externalID=s podCIDR=s podCIDRs=[s|s|M: providerID=s taints=[#171 unschedulable=b
T core.v1.NodeStatus - addresses=[#172|m:type|M:type allocatable={q capacity={q conditions=[#173|m:type|M:type config=#174|p daemonEndpoints=#175 declaredFeatures=[s features=#176|p images=[#177 nodeInfo=#178 phase=s|e:Pending+Running+Terminated runtimeHandlers=[#179 volumesAttached=[#180 volumesInUse=[s
T core.v1.PersistentVolumeClaimSpec - accessModes=[s dataSource=#181|p dataSourceRef=#182|p resources=#183 selector=#137|p storageClassName=s|p volumeAttributesClassName=s|p volumeMode=s|p|e:Block+Filesystem volumeName=s
T core.v1.PersistentVolumeClaimStatus - accessModes=[s allocatedResourceStatuses={s allocatedResources={q capacity={q conditions=[#184|m:type|M:type currentVolumeAttributesClassName=s|p modifyVolumeStatus=#185|p phase=s|e:Bound+Lost+Pending
T core.v1.PersistentVolumeSpec - accessModes=[s awsElasticBlockStore=#186|p azureDisk=#187|p azureFile=#188|p capacity={q cephfs=#189|p cinder=#190|p claimRef=#69|p csi=#191|p fc=#192|p flexVolume=#193|p flocker=#194|p gcePersistentDisk=#195|p glusterfs=#196|p hostPath=#197|p iscsi=#198|p local=#199|p mountOptions=[s nfs=#200|p nodeAffinity=#201|p persistentVolumeReclaimPolicy=s|e:Delete+Recycle+Retain photonPersistentDisk=#202|p portworxVolume=#203|p quobyte=#204|p rbd=#205|p scaleIO=#206|p storageClassName=s storageos=#207|p volumeAttributesClassName=s|p volumeMode=s|p|e:Block+Filesystem vsphereVolume=#208|p
T core.v1.PersistentVolumeStatus - lastPhaseTransitionTime=t|p message=s phase=s|e:Available+Bound+Failed+Pending+Released reason=s
T core.v1.PodSpec - activeDeadlineSeconds=l|p affinity=#209|p automountServiceAccountToken=b|p containers=[#210|z|r|m:name|M:name dnsConfig=#211|p dnsPolicy=s|e:ClusterFirst+ClusterFirstWithHostNet+Default+None enableServiceLinks=b|p ephemeralContainers=[#212|m:name|M:name hostAliases=[#213|m:ip|M:ip hostIPC=b hostNetwork=b hostPID=b hostUsers=b|p hostname=s hostnameOverride=s|p imagePullSecrets=[#90|m:name|M:name initContainers=[#210|m:name|M:name nodeName=s nodeSelector={s|a os=#214|p overhead={q preemptionPolicy=s|p|e:Never+PreemptLowerPriority priority=i|p priorityClassName=s readinessGates=[#215 resourceClaims=[#216|m:name|M:name|R resources=#217|p restartPolicy=s|e:Always+Never+OnFailure runtimeClassName=s|p schedulerName=s schedulingGates=[#218|m:name|M:name schedulingGroup=#219|p securityContext=#220|p serviceAccount=s serviceAccountName=s setHostnameAsFQDN=b|p shareProcessNamespace=b|p subdomain=s terminationGracePeriodSeconds=l|p tolerations=[#221 topologySpreadConstraints=[#222|m:topologyKey+whenUnsatisfiable|M:topologyKey volumes=[#223|m:name|M:name|R
T core.v1.PodStatus - allocatedResources={q conditions=[#224|m:type|M:type containerStatuses=[#225 ephemeralContainerStatuses=[#225 extendedResourceClaimStatus=#226|p hostIP=s hostIPs=[#227|M:ip initContainerStatuses=[#225 message=s nodeAllocatableResourceClaimStatuses=[#228 nominatedNodeName=s observedGeneration=l phase=s|e:Failed+Pending+Running+Succeeded+Unknown podIP=s podIPs=[#229|m:ip|M:ip qosClass=s|e:BestEffort+Burstable+Guaranteed reason=s resize=s resourceClaimStatuses=[#230|m:name|M:name|R resources=#217|p startTime=t|p
T core.v1.PodTemplateSpec - metadata=#68 spec=#83
T core.v1.ReplicationControllerSpec - minReadySeconds=i replicas=i|p|d:1 selector={s|a template=#85|p
T core.v1.ReplicationControllerStatus - availableReplicas=i conditions=[#231|m:type|M:type fullyLabeledReplicas=i observedGeneration=l readyReplicas=i replicas=i|z|r
T core.v1.ResourceQuotaSpec - hard={q scopeSelector=#232|p scopes=[s
T core.v1.ResourceQuotaStatus - hard={q used={q
T core.v1.LocalObjectReference a name=s
T core.v1.ServiceSpec - allocateLoadBalancerNodePorts=b|p clusterIP=s clusterIPs=[s externalIPs=[s externalName=s externalTrafficPolicy=s|e:Cluster+Local healthCheckNodePort=i internalTrafficPolicy=s|p|e:Cluster+Local ipFamilies=[s ipFamilyPolicy=s|p|e:PreferDualStack+RequireDualStack+SingleStack loadBalancerClass=s|p loadBalancerIP=s loadBalancerSourceRanges=[s ports=[#233|m:port+protocol|M:port publishNotReadyAddresses=b selector={s|a sessionAffinity=s|e:ClientIP+None sessionAffinityConfig=#234|p trafficDistribution=s|p type=s|e:ClusterIP+ExternalName+LoadBalancer+NodePort
T core.v1.ServiceStatus - conditions=[#235|m:type|M:type loadBalancer=#236
T kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec - caBundle=y group=s groupPriorityMinimum=i|z|r insecureSkipTLSVerify=b service=#237|p version=s versionPriority=i|z|r
T kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus - conditions=[#238|m:type|M:type
T apps.v1.DaemonSetSpec - minReadySeconds=i revisionHistoryLimit=i|p selector=#137|z|p|r template=#85|z|r updateStrategy=#239
T apps.v1.DaemonSetStatus - collisionCount=i|p conditions=[#240|m:type|M:type currentNumberScheduled=i|z|r desiredNumberScheduled=i|z|r numberAvailable=i numberMisscheduled=i|z|r numberReady=i|z|r numberUnavailable=i observedGeneration=l updatedNumberScheduled=i
T apps.v1.DeploymentSpec - minReadySeconds=i paused=b progressDeadlineSeconds=i|p replicas=i|p revisionHistoryLimit=i|p selector=#137|z|p|r strategy=#241|R template=#85|z|r
T apps.v1.DeploymentStatus - availableReplicas=i collisionCount=i|p conditions=[#242|m:type|M:type observedGeneration=l readyReplicas=i replicas=i terminatingReplicas=i|p unavailableReplicas=i updatedReplicas=i
T apps.v1.ReplicaSetSpec - minReadySeconds=i replicas=i|p selector=#137|z|p|r template=#85
T apps.v1.ReplicaSetStatus - availableReplicas=i conditions=[#243|m:type|M:type fullyLabeledReplicas=i observedGeneration=l readyReplicas=i replicas=i|z|r terminatingReplicas=i|p
T apps.v1.StatefulSetSpec - minReadySeconds=i ordinals=#244|p persistentVolumeClaimRetentionPolicy=#245|p podManagementPolicy=s|e:OrderedReady+Parallel replicas=i|p revisionHistoryLimit=i|p selector=#137|z|p|r serviceName=s|z template=#85|z|r updateStrategy=#246 volumeClaimTemplates=[#8
T apps.v1.StatefulSetStatus - availableReplicas=i|z collisionCount=i|p conditions=[#247|m:type|M:type currentReplicas=i currentRevision=s observedGeneration=l readyReplicas=i replicas=i|z|r updateRevision=s updatedReplicas=i
T events.v1.EventSeries - count=i|z|r lastObservedTime=u|z|r
T authentication.v1.SelfSubjectReviewStatus - userInfo=#248
T authentication.v1.TokenReviewSpec - audiences=[s token=s|r
T authentication.v1.TokenReviewStatus - audiences=[s authenticated=b error=s user=#248
T authorization.v1.SubjectAccessReviewSpec - extra={[s groups=[s nonResourceAttributes=#249|p resourceAttributes=#250|p uid=s user=s
T authorization.v1.SubjectAccessReviewStatus - allowed=b|z|r denied=b evaluationError=s reason=s
T authorization.v1.SelfSubjectAccessReviewSpec - nonResourceAttributes=#249|p resourceAttributes=#250|p
T authorization.v1.SelfSubjectRulesReviewSpec - namespace=s
T authorization.v1.SubjectRulesReviewStatus - evaluationError=s incomplete=b|z|r nonResourceRules=[#251|z|r resourceRules=[#252|z|r
T autoscaling.v2.HorizontalPodAutoscalerSpec - behavior=#253|p maxReplicas=i|z|r metrics=[#254 minReplicas=i|p scaleTargetRef=#255|z|r
T autoscaling.v2.HorizontalPodAutoscalerStatus - conditions=[#256|m:type|M:type currentMetrics=[#257|z currentReplicas=i desiredReplicas=i|z|r lastScaleTime=t|p observedGeneration=l|p
T autoscaling.v1.HorizontalPodAutoscalerSpec - maxReplicas=i|z|r minReplicas=i|p scaleTargetRef=#258|z|r targetCPUUtilizationPercentage=i|p
T autoscaling.v1.HorizontalPodAutoscalerStatus - currentCPUUtilizationPercentage=i|p currentReplicas=i|z|r desiredReplicas=i|z|r lastScaleTime=t|p observedGeneration=l|p
T batch.v1.CronJobSpec - concurrencyPolicy=s|e:Allow+Forbid+Replace failedJobsHistoryLimit=i|p jobTemplate=#259|z|r schedule=s|z|r startingDeadlineSeconds=l|p successfulJobsHistoryLimit=i|p suspend=b|p timeZone=s|p
T batch.v1.CronJobStatus - active=[#69 lastScheduleTime=t|p lastSuccessfulTime=t|p
T batch.v1.JobSpec - activeDeadlineSeconds=l|p backoffLimit=i|p backoffLimitPerIndex=i|p completionMode=s|p|e:Indexed+NonIndexed completions=i|p managedBy=s|p manualSelector=b|p maxFailedIndexes=i|p parallelism=i|p podFailurePolicy=#260|p podReplacementPolicy=s|p|e:Failed+TerminatingOrFailed selector=#137|p successPolicy=#261|p suspend=b|p template=#85|z|r ttlSecondsAfterFinished=i|p
T batch.v1.JobStatus - active=i completedIndexes=s completionTime=t|p conditions=[#262|M:type failed=i failedIndexes=s|p ready=i|p startTime=t|p succeeded=i terminating=i|p uncountedTerminatedPods=#263|p
T certificates.v1.CertificateSigningRequestSpec - expirationSeconds=i|p extra={[s groups=[s request=y|z|r signerName=s|z|r uid=s usages=[s username=s
T certificates.v1.CertificateSigningRequestStatus - certificate=y conditions=[#264|m:type
T networking.v1.IngressClassSpec - controller=s parameters=#265|p
T networking.v1.IngressSpec - defaultBackend=#266|p ingressClassName=s|p rules=[#267 tls=[#268
T networking.v1.IngressStatus - loadBalancer=#269
T networking.v1.IPAddressSpec - parentRef=#270|p|r
T networking.v1.NetworkPolicySpec - egress=[#271 ingress=[#272 podSelector=#137|z policyTypes=[s
T networking.v1.ServiceCIDRSpec - cidrs=[s
T networking.v1.ServiceCIDRStatus - conditions=[#235|m:type|M:type
T policy.v1.PodDisruptionBudgetSpec - maxUnavailable=x|p minAvailable=x|p selector=#137|p unhealthyPodEvictionPolicy=s|p|e:AlwaysAllow+IfHealthyBudget
T policy.v1.PodDisruptionBudgetStatus - conditions=[#235|m:type|M:type currentHealthy=i|z desiredHealthy=i|z disruptedPods={t disruptionsAllowed=i|z expectedPods=i|z observedGeneration=l
T rbac.v1.RoleRef a apiGroup=s|z kind=s|z|r name=s|z|r
T rbac.v1.Subject a apiGroup=s kind=s|z|r name=s|z|r namespace=s
T rbac.v1.AggregationRule - clusterRoleSelectors=[#137
T rbac.v1.PolicyRule - apiGroups=[s nonResourceURLs=[s resourceNames=[s resources=[s verbs=[s|z|r
T storage.v1.CSIDriverSpec - attachRequired=b|p fsGroupPolicy=s|p nodeAllocatableUpdatePeriodSeconds=l|p podInfoOnMount=b|p preventPodSchedulingIfMissing=b|p requiresRepublish=b|p seLinuxMount=b|p serviceAccountTokenInSecrets=b|p storageCapacity=b|p tokenRequests=[#273 volumeLifecycleModes=[s|s
T storage.v1.CSINodeSpec - drivers=[#274|z|r|m:name|M:name
T apimachinery.pkg.apis.meta.v1.LabelSelector a matchExpressions=[#275 matchLabels={s
T core.v1.TopologySelectorTerm a matchLabelExpressions=[#276
T storage.v1.VolumeAttachmentSpec - attacher=s|z|r nodeName=s|z|r source=#277|z|r
T storage.v1.VolumeAttachmentStatus - attachError=#278|p attached=b|z|r attachmentMetadata={s detachError=#278|p
T admissionregistration.v1.MutatingAdmissionPolicySpec - failurePolicy=s|p|e:Fail+Ignore matchConditions=[#279|m:name|M:name matchConstraints=#280|p mutations=[#281 paramKind=#282|p reinvocationPolicy=s|e:IfNeeded+Never variables=[#283
T admissionregistration.v1.MutatingAdmissionPolicyBindingSpec - matchResources=#280|p paramRef=#284|p policyName=s
T admissionregistration.v1.MutatingWebhook - admissionReviewVersions=[s|z|r clientConfig=#285|z|r failurePolicy=s|p|e:Fail+Ignore matchConditions=[#279|m:name|M:name matchPolicy=s|p|e:Equivalent+Exact name=s|z|r namespaceSelector=#137|p objectSelector=#137|p reinvocationPolicy=s|p|e:IfNeeded+Never rules=[#286 sideEffects=s|z|p|r|e:None+NoneOnDryRun+Some+Unknown timeoutSeconds=i|p
T admissionregistration.v1.ValidatingAdmissionPolicySpec - auditAnnotations=[#287 failurePolicy=s|p|e:Fail+Ignore matchConditions=[#279|m:name|M:name matchConstraints=#280|p paramKind=#282|p validations=[#288 variables=[#283|m:name|M:name
T admissionregistration.v1.ValidatingAdmissionPolicyStatus - conditions=[#235|m:type observedGeneration=l typeChecking=#289|p
T admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec - matchResources=#280|p paramRef=#284|p policyName=s|r validationActions=[s|r|s
T admissionregistration.v1.ValidatingWebhook - admissionReviewVersions=[s|z|r clientConfig=#285|z|r failurePolicy=s|p|e:Fail+Ignore matchConditions=[#279|m:name|M:name matchPolicy=s|p|e:Equivalent+Exact name=s|z|r namespaceSelector=#137|p objectSelector=#137|p rules=[#286 sideEffects=s|z|p|r|e:None+NoneOnDryRun+Some+Unknown timeoutSeconds=i|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec - conversion=#290|p group=s|z|r names=#291|z|r preserveUnknownFields=b scope=s|z|r versions=[#292|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus - acceptedNames=#291|z conditions=[#293|z|m:type observedGeneration=l storedVersions=[s|z
T coordination.v1.LeaseSpec - acquireTime=u|p holderIdentity=s|p leaseDurationSeconds=i|p leaseTransitions=i|p preferredHolder=s|p renewTime=u|p strategy=s|p
T node.v1.Overhead - podFixed={q
T node.v1.Scheduling - nodeSelector={s|a tolerations=[#221
T discovery.v1.Endpoint - addresses=[s|z|r|s conditions=#294 deprecatedTopology={s hints=#295|p hostname=s|p nodeName=s|p targetRef=#69|p zone=s|p
T discovery.v1.EndpointPort a appProtocol=s|p name=s|p port=i|p protocol=s|p|e:SCTP+TCP+UDP
T resource.v1.DeviceClassSpec - config=[#296 extendedResourceName=s|p selectors=[#297
T resource.v1.ResourceClaimSpec - devices=#298|z
T resource.v1.ResourceClaimStatus - allocation=#299|p devices=[#300|m:driver+device+pool+shareID reservedFor=[#301|m:uid|M:uid
T resource.v1.ResourceClaimTemplateSpec - metadata=#68 spec=#156|z|r
T resource.v1.ResourceSliceSpec - allNodes=b|p devices=[#302 driver=s|z|r nodeName=s|p nodeSelector=#303|p perDeviceNodeSelection=b|p pool=#304|z|r sharedCounters=[#305
T flowcontrol.v1.FlowSchemaSpec - distinguisherMethod=#306|p matchingPrecedence=i|z priorityLevelConfiguration=#307|z|r rules=[#308
T flowcontrol.v1.FlowSchemaStatus - conditions=[#309|m:type|M:type
T flowcontrol.v1.PriorityLevelConfigurationSpec - exempt=#310|p limited=#311|p type=s|z|r
T flowcontrol.v1.PriorityLevelConfigurationStatus - conditions=[#312|m:type|M:type
T apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry - apiVersion=s fieldsType=s fieldsV1=r|p manager=s operation=s subresource=s time=t|p
T apimachinery.pkg.apis.meta.v1.OwnerReference a apiVersion=s|z|r blockOwnerDeletion=b|p controller=b|p kind=s|z|r name=s|z|r uid=s|z|r
T core.v1.EndpointAddress a hostname=s ip=s|z|r nodeName=s|p targetRef=#69|p
T core.v1.EndpointPort a appProtocol=s|p name=s port=i|z|r protocol=s|e:SCTP+TCP+UDP
T core.v1.LimitRangeItem - default={q defaultRequest={q max={q maxLimitRequestRatio={q min={q type=s|z|r
)table",
R"table(T core.v1.NamespaceCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.NodeConfigSource - configMap=#313|p
T core.v1.Taint - effect=s|z|r|e:NoExecute+NoSchedule+PreferNoSchedule key=s|z|r timeAdded=t|p value=s
T core.v1.NodeAddress - address=s|z|r type=s|z|r
T core.v1.NodeCondition - lastHeartbeatTime=t lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.NodeConfigStatus - active=#170|p assigned=#170|p error=s lastKnownGood=#170|p
T core.v1.NodeDaemonEndpoints - kubeletEndpoint=#314
T core.v1.NodeFeatures - supplementalGroupsPolicy=b|p
T core.v1.ContainerImage - names=[s|z sizeBytes=l
T core.v1.NodeSystemInfo - architecture=s|z|r bootID=s|z|r containerRuntimeVersion=s|z|r kernelVersion=s|z|r kubeProxyVersion=s|z|r kubeletVersion=s|z|r machineID=s|z|r operatingSystem=s|z|r osImage=s|z|r swap=#315|p systemUUID=s|z|r
T core.v1.NodeRuntimeHandler - features=#316|p name=s|z
T core.v1.AttachedVolume - devicePath=s|z|r name=s|z|r
T core.v1.TypedLocalObjectReference a apiGroup=s|z|p kind=s|z|r name=s|z|r
T core.v1.TypedObjectReference - apiGroup=s|z|p kind=s|z|r name=s|z|r namespace=s|p
T core.v1.VolumeResourceRequirements - limits={q requests={q
T core.v1.PersistentVolumeClaimCondition - lastProbeTime=t lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.ModifyVolumeStatus - status=s|z|r|e:InProgress+Infeasible+Pending targetVolumeAttributesClassName=s
T core.v1.AWSElasticBlockStoreVolumeSource - fsType=s partition=i readOnly=b volumeID=s|z|r
T core.v1.AzureDiskVolumeSource - cachingMode=s|p|e:None+ReadOnly+ReadWrite|d:"ReadWrite" diskName=s|z|r diskURI=s|z|r fsType=s|p|d:"ext4" kind=s|p|e:Dedicated+Managed+Shared|d:"Shared" readOnly=b|p
T core.v1.AzureFilePersistentVolumeSource - readOnly=b secretName=s|z|r secretNamespace=s|z|p shareName=s|z|r
T core.v1.CephFSPersistentVolumeSource - monitors=[s|z|r path=s readOnly=b secretFile=s secretRef=#317|p user=s
T core.v1.CinderPersistentVolumeSource - fsType=s readOnly=b secretRef=#317|p volumeID=s|z|r
T core.v1.CSIPersistentVolumeSource - controllerExpandSecretRef=#317|p controllerPublishSecretRef=#317|p driver=s|z|r fsType=s nodeExpandSecretRef=#317|p nodePublishSecretRef=#317|p nodeStageSecretRef=#317|p readOnly=b volumeAttributes={s volumeHandle=s|z|r
T core.v1.FCVolumeSource - fsType=s lun=i|p readOnly=b targetWWNs=[s wwids=[s
T core.v1.FlexPersistentVolumeSource - driver=s|z|r fsType=s options={s readOnly=b secretRef=#317|p
T core.v1.FlockerVolumeSource - datasetName=s datasetUUID=s
T core.v1.GCEPersistentDiskVolumeSource - fsType=s partition=i pdName=s|z|r readOnly=b
T core.v1.GlusterfsPersistentVolumeSource - endpoints=s|z|r endpointsNamespace=s|p path=s|z|r readOnly=b
T core.v1.HostPathVolumeSource - path=s|z|r type=s|p|e:BlockDevice+CharDevice+Directory+DirectoryOrCreate+File+FileOrCreate+Socket
T core.v1.ISCSIPersistentVolumeSource - chapAuthDiscovery=b chapAuthSession=b fsType=s initiatorName=s|p iqn=s|z|r iscsiInterface=s|d:"default" lun=i|z|r portals=[s readOnly=b secretRef=#317|p targetPortal=s|z|r
T core.v1.LocalVolumeSource - fsType=s|p path=s|z|r
T core.v1.NFSVolumeSource - path=s|z|r readOnly=b server=s|z|r
T core.v1.VolumeNodeAffinity - required=#303|p
T core.v1.PhotonPersistentDiskVolumeSource - fsType=s pdID=s|z|r
T core.v1.PortworxVolumeSource - fsType=s readOnly=b volumeID=s|z|r
T core.v1.QuobyteVolumeSource - group=s readOnly=b registry=s|z|r tenant=s user=s volume=s|z|r
T core.v1.RBDPersistentVolumeSource - fsType=s image=s|z|r keyring=s|d:"/etc/ceph/keyring" monitors=[s|z|r pool=s|d:"rbd" readOnly=b secretRef=#317|p user=s|d:"admin"
T core.v1.ScaleIOPersistentVolumeSource - fsType=s|d:"xfs" gateway=s|z|r protectionDomain=s readOnly=b secretRef=#317|z|p|r sslEnabled=b storageMode=s|d:"ThinProvisioned" storagePool=s system=s|z|r volumeName=s
T core.v1.StorageOSPersistentVolumeSource - fsType=s readOnly=b secretRef=#69|p volumeName=s volumeNamespace=s
T core.v1.VsphereVirtualDiskVolumeSource - fsType=s storagePolicyID=s storagePolicyName=s volumePath=s|z|r
T core.v1.Affinity - nodeAffinity=#318|p podAffinity=#319|p podAntiAffinity=#320|p
T core.v1.Container - args=[s command=[s env=[#321|m:name|M:name envFrom=[#322 image=s imagePullPolicy=s|e:Always+IfNotPresent+Never lifecycle=#323|p livenessProbe=#324|p name=s|z|r ports=[#325|m:containerPort+protocol|M:containerPort readinessProbe=#324|p resizePolicy=[#326 resources=#217 restartPolicy=s|p restartPolicyRules=[#327 securityContext=#328|p startupProbe=#324|p stdin=b stdinOnce=b terminationMessagePath=s terminationMessagePolicy=s|e:FallbackToLogsOnError+File tty=b volumeDevices=[#329|m:devicePath|M:devicePath volumeMounts=[#330|m:mountPath|M:mountPath workingDir=s
T core.v1.PodDNSConfig - nameservers=[s options=[#331 searches=[s
T core.v1.EphemeralContainer - args=[s command=[s env=[#321|m:name|M:name envFrom=[#322 image=s imagePullPolicy=s|e:Always+IfNotPresent+Never lifecycle=#323|p livenessProbe=#324|p name=s|z|r ports=[#325|m:containerPort+protocol|M:containerPort readinessProbe=#324|p resizePolicy=[#326 resources=#217 restartPolicy=s|p restartPolicyRules=[#327 securityContext=#328|p startupProbe=#324|p stdin=b stdinOnce=b targetContainerName=s terminationMessagePath=s terminationMessagePolicy=s|e:FallbackToLogsOnError+File tty=b volumeDevices=[#329|m:devicePath|M:devicePath volumeMounts=[#330|m:mountPath|M:mountPath workingDir=s
T core.v1.HostAlias - hostnames=[s ip=s|z|r
T core.v1.PodOS - name=s|z|r
T core.v1.PodReadinessGate - conditionType=s|z|r
T core.v1.PodResourceClaim - name=s|z|r resourceClaimName=s|p resourceClaimTemplateName=s|p
T core.v1.ResourceRequirements - claims=[#332|m:name limits={q requests={q
T core.v1.PodSchedulingGate - name=s|z|r
T core.v1.PodSchedulingGroup - podGroupName=s|p
T core.v1.PodSecurityContext - appArmorProfile=#333|p fsGroup=l|p fsGroupChangePolicy=s|p|e:Always+OnRootMismatch runAsGroup=l|p runAsNonRoot=b|p runAsUser=l|p seLinuxChangePolicy=s|p seLinuxOptions=#334|p seccompProfile=#335|p supplementalGroups=[l supplementalGroupsPolicy=s|p|e:Merge+Strict sysctls=[#336 windowsOptions=#337|p
T core.v1.Toleration - effect=s|e:NoExecute+NoSchedule+PreferNoSchedule key=s operator=s|e:Equal+Exists+Gt+Lt tolerationSeconds=l|p value=s
T core.v1.TopologySpreadConstraint - labelSelector=#137|p matchLabelKeys=[s maxSkew=i|z|r minDomains=i|p nodeAffinityPolicy=s|p|e:Honor+Ignore nodeTaintsPolicy=s|p|e:Honor+Ignore topologyKey=s|z|r whenUnsatisfiable=s|z|r|e:DoNotSchedule+ScheduleAnyway
T core.v1.Volume - awsElasticBlockStore=#186|p azureDisk=#187|p azureFile=#338|p cephfs=#339|p cinder=#340|p configMap=#341|p csi=#342|p downwardAPI=#343|p emptyDir=#344|p ephemeral=#345|p fc=#192|p flexVolume=#346|p flocker=#194|p gcePersistentDisk=#195|p gitRepo=#347|p glusterfs=#348|p hostPath=#197|p image=#349|p iscsi=#350|p name=s|z|r nfs=#200|p persistentVolumeClaim=#351|p photonPersistentDisk=#202|p portworxVolume=#203|p projected=#352|p quobyte=#204|p rbd=#353|p scaleIO=#354|p secret=#355|p storageos=#356|p vsphereVolume=#208|p
T core.v1.PodCondition - lastProbeTime=t lastTransitionTime=t message=s observedGeneration=l reason=s status=s|z|r type=s|z|r
T core.v1.ContainerStatus - allocatedResources={q allocatedResourcesStatus=[#357|m:name|M:name containerID=s image=s|z|r imageID=s|z|r lastState=#358 name=s|z|r ready=b|z|r resources=#217|p restartCount=i|z|r started=b|p state=#358 stopSignal=s|p|e:SIGABRT+SIGALRM+SIGBUS+SIGCHLD+SIGCLD+SIGCONT+SIGFPE+SIGHUP+SIGILL+SIGINT+SIGIO+SIGIOT+SIGKILL+SIGPIPE+SIGPOLL+SIGPROF+SIGPWR+SIGQUIT+SIGRTMAX+SIGRTMAX-1+SIGRTMAX-10+SIGRTMAX-11+SIGRTMAX-12+SIGRTMAX-13+SIGRTMAX-14+SIGRTMAX-2+SIGRTMAX-3+SIGRTMAX-4+SIGRTMAX-5+SIGRTMAX-6+SIGRTMAX-7+SIGRTMAX-8+SIGRTMAX-9+SIGRTMIN+SIGRTMIN+1+SIGRTMIN+10+SIGRTMIN+11+SIGRTMIN+12+SIGRTMIN+13+SIGRTMIN+14+SIGRTMIN+15+SIGRTMIN+2+SIGRTMIN+3+SIGRTMIN+4+SIGRTMIN+5+SIGRTMIN+6+SIGRTMIN+7+SIGRTMIN+8+SIGRTMIN+9+SIGSEGV+SIGSTKFLT+SIGSTOP+SIGSYS+SIGTERM+SIGTRAP+SIGTSTP+SIGTTIN+SIGTTOU+SIGURG+SIGUSR1+SIGUSR2+SIGVTALRM+SIGWINCH+SIGXCPU+SIGXFSZ user=#359|p volumeMounts=[#360|m:mountPath|M:mountPath
T core.v1.PodExtendedResourceClaimStatus - requestMappings=[#361|z|r resourceClaimName=s|z|r
T core.v1.HostIP - ip=s|z|r
T core.v1.NodeAllocatableResourceClaimStatus - containers=[s|s resourceClaimName=s|z|r resources={q|z|r
T core.v1.PodIP - ip=s|z|r
T core.v1.PodResourceClaimStatus - name=s|z|r resourceClaimName=s|p
T core.v1.ReplicationControllerCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T core.v1.ScopeSelector a matchExpressions=[#362
T core.v1.ServicePort - appProtocol=s|p name=s nodePort=i port=i|z|r protocol=s|e:SCTP+TCP+UDP|d:"TCP" targetPort=x
T core.v1.SessionAffinityConfig - clientIP=#363|p
T apimachinery.pkg.apis.meta.v1.Condition - lastTransitionTime=t|z|r message=s|z|r observedGeneration=l reason=s|z|r status=s|z|r type=s|z|r
T core.v1.LoadBalancerStatus - ingress=[#364
T kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference - name=s namespace=s port=i|p
T kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T apps.v1.DaemonSetUpdateStrategy - rollingUpdate=#365|p type=s|e:OnDelete+RollingUpdate
T apps.v1.DaemonSetCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T apps.v1.DeploymentStrategy - rollingUpdate=#366|p type=s|e:Recreate+RollingUpdate
T apps.v1.DeploymentCondition - lastTransitionTime=t lastUpdateTime=t message=s reason=s status=s|z|r type=s|z|r
T apps.v1.ReplicaSetCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T apps.v1.StatefulSetOrdinals - start=i|z
T apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy - whenDeleted=s whenScaled=s
T apps.v1.StatefulSetUpdateStrategy - rollingUpdate=#367|p type=s|e:OnDelete+RollingUpdate
T apps.v1.StatefulSetCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T authentication.v1.UserInfo - extra={[s groups=[s uid=s username=s
T authorization.v1.NonResourceAttributes - path=s verb=s
T authorization.v1.ResourceAttributes - fieldSelector=#368|p group=s labelSelector=#369|p name=s namespace=s resource=s subresource=s verb=s version=s
T authorization.v1.NonResourceRule - nonResourceURLs=[s verbs=[s|z|r
T authorization.v1.ResourceRule - apiGroups=[s resourceNames=[s resources=[s verbs=[s|z|r
T autoscaling.v2.HorizontalPodAutoscalerBehavior - scaleDown=#370|p scaleUp=#370|p
T autoscaling.v2.MetricSpec - containerResource=#371|p external=#372|p object=#373|p pods=#374|p resource=#375|p type=s|z|r
T autoscaling.v2.CrossVersionObjectReference - apiVersion=s kind=s|z|r name=s|z|r
T autoscaling.v2.HorizontalPodAutoscalerCondition - lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T autoscaling.v2.MetricStatus - containerResource=#376|p external=#377|p object=#378|p pods=#379|p resource=#380|p type=s|z|r
T autoscaling.v1.CrossVersionObjectReference a apiVersion=s kind=s|z|r name=s|z|r
T batch.v1.JobTemplateSpec - metadata=#68 spec=#118
T batch.v1.PodFailurePolicy - rules=[#381|z|r
T batch.v1.SuccessPolicy - rules=[#382|z|r
T batch.v1.JobCondition - lastProbeTime=t lastTransitionTime=t message=s reason=s status=s|z|r type=s|z|r
T batch.v1.UncountedTerminatedPods - failed=[s|s succeeded=[s|s
T certificates.v1.CertificateSigningRequestCondition - lastTransitionTime=t lastUpdateTime=t message=s reason=s status=s|z|r type=s|z|r
T networking.v1.IngressClassParametersReference - apiGroup=s|p kind=s|z|r name=s|z|r namespace=s|p scope=s|z|p
T networking.v1.IngressBackend - resource=#181|p service=#383|p
T networking.v1.IngressRule - host=s http=#384|p
T networking.v1.IngressTLS - hosts=[s secretName=s
T networking.v1.IngressLoadBalancerStatus - ingress=[#385
T networking.v1.ParentReference - group=s name=s|r namespace=s resource=s|r
T networking.v1.NetworkPolicyEgressRule - ports=[#386 to=[#387
T networking.v1.NetworkPolicyIngressRule - from=[#387 ports=[#386
T storage.v1.TokenRequest - audience=s|z|r expirationSeconds=l|p
T storage.v1.CSINodeDriver - allocatable=#388|p name=s|z|r nodeID=s|z|r topologyKeys=[s|z
T apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement - key=s|z|r operator=s|z|r values=[s
T core.v1.TopologySelectorLabelRequirement - key=s|z|r values=[s|z|r
T storage.v1.VolumeAttachmentSource - inlineVolumeSpec=#81|p persistentVolumeName=s|p
T storage.v1.VolumeError - errorCode=i|p message=s time=t
T admissionregistration.v1.MatchCondition - expression=s|z|r name=s|z|r
T admissionregistration.v1.MatchResources a excludeResourceRules=[#389 matchPolicy=s|p|e:Equivalent+Exact namespaceSelector=#137|p objectSelector=#137|p resourceRules=[#389
T admissionregistration.v1.Mutation - applyConfiguration=#390|p jsonPatch=#391|p patchType=s|z|r|e:ApplyConfiguration+JSONPatch
T admissionregistration.v1.ParamKind a apiVersion=s kind=s
T admissionregistration.v1.Variable a expression=s|z|r name=s|z|r
T admissionregistration.v1.ParamRef a name=s namespace=s parameterNotFoundAction=s|p selector=#137|p
T admissionregistration.v1.WebhookClientConfig - caBundle=y service=#392|p url=s|p
T admissionregistration.v1.RuleWithOperations - apiGroups=[s|p apiVersions=[s|p operations=[s resources=[s|p scope=s|p|e:*+Cluster+Namespaced
T admissionregistration.v1.AuditAnnotation - key=s|z|r valueExpression=s|z|r
T admissionregistration.v1.Validation - expression=s|z|r message=s messageExpression=s reason=s|p
T admissionregistration.v1.TypeChecking - expressionWarnings=[#393
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion - strategy=s|z|r webhook=#394|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames - categories=[s kind=s|z|r listKind=s plural=s|z|r shortNames=[s singular=s
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion - additionalPrinterColumns=[#395 deprecated=b deprecationWarning=s|p name=s|z|r schema=#396|p selectableFields=[#397 served=b|z|r storage=b|z|r subresources=#398|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition - lastTransitionTime=t message=s observedGeneration=l reason=s status=s|z|r type=s|z|r
T discovery.v1.EndpointConditions - ready=b|p serving=b|p terminating=b|p
T discovery.v1.EndpointHints - forNodes=[#399 forZones=[#400
T resource.v1.DeviceClassConfiguration - opaque=#401|p
T resource.v1.DeviceSelector - cel=#402|p
T resource.v1.DeviceClaim - config=[#403 constraints=[#404 requests=[#405|z
T resource.v1.AllocationResult - allocationTimestamp=t|p devices=#406 nodeSelector=#303|p
T resource.v1.AllocatedDeviceStatus - conditions=[#235|z|m:type data=r|p device=s|z|r driver=s|z|r networkData=#407|p pool=s|z|r shareID=s|p
T resource.v1.ResourceClaimConsumerReference - apiGroup=s name=s|z|r resource=s|z|r uid=s|z|r
T resource.v1.Device - allNodes=b|p allowMultipleAllocations=b|p attributes={#408 bindingConditions=[s bindingFailureConditions=[s bindsToNode=b|p capacity={#409 consumesCounters=[#410 name=s|z|r nodeAllocatableResourceMappings={#411 nodeName=s|p nodeSelector=#303|p taints=[#412
T core.v1.NodeSelector a nodeSelectorTerms=[#413|z|r
T resource.v1.ResourcePool - generation=l|z|r name=s|z|r resourceSliceCount=l|z|r
T resource.v1.CounterSet - counters={#414|r name=s|z|r
T flowcontrol.v1.FlowDistinguisherMethod - type=s|z|r
T flowcontrol.v1.PriorityLevelConfigurationReference - name=s|z|r
T flowcontrol.v1.PolicyRulesWithSubjects - nonResourceRules=[#415 resourceRules=[#416 subjects=[#417|z|r
T flowcontrol.v1.FlowSchemaCondition - lastTransitionTime=t message=s reason=s status=s type=s
T flowcontrol.v1.ExemptPriorityLevelConfiguration - lendablePercent=i|p nominalConcurrencyShares=i|p
T flowcontrol.v1.LimitedPriorityLevelConfiguration - borrowingLimitPercent=i|p lendablePercent=i|p limitResponse=#418 nominalConcurrencyShares=i|z|p
T flowcontrol.v1.PriorityLevelConfigurationCondition - lastTransitionTime=t message=s reason=s status=s type=s
T core.v1.ConfigMapNodeConfigSource - kubeletConfigKey=s|z|r name=s|z|r namespace=s|z|r resourceVersion=s uid=s
T core.v1.DaemonEndpoint - Port=i|z|r
T core.v1.NodeSwapStatus - capacity=l|p
T core.v1.NodeRuntimeHandlerFeatures - recursiveReadOnlyMounts=b|p userNamespaces=b|p
T core.v1.SecretReference a name=s namespace=s
T core.v1.NodeAffinity - preferredDuringSchedulingIgnoredDuringExecution=[#419 requiredDuringSchedulingIgnoredDuringExecution=#303|p
T core.v1.PodAffinity - preferredDuringSchedulingIgnoredDuringExecution=[#420 requiredDuringSchedulingIgnoredDuringExecution=[#421
T core.v1.PodAntiAffinity - preferredDuringSchedulingIgnoredDuringExecution=[#420 requiredDuringSchedulingIgnoredDuringExecution=[#421
T core.v1.EnvVar - name=s|z|r value=s valueFrom=#422|p
T core.v1.EnvFromSource - configMapRef=#423|p prefix=s secretRef=#424|p
T core.v1.Lifecycle - postStart=#425|p preStop=#425|p stopSignal=s|p|e:SIGABRT+SIGALRM+SIGBUS+SIGCHLD+SIGCLD+SIGCONT+SIGFPE+SIGHUP+SIGILL+SIGINT+SIGIO+SIGIOT+SIGKILL+SIGPIPE+SIGPOLL+SIGPROF+SIGPWR+SIGQUIT+SIGRTMAX+SIGRTMAX-1+SIGRTMAX-10+SIGRTMAX-11+SIGRTMAX-12+SIGRTMAX-13+SIGRTMAX-14+SIGRTMAX-2+SIGRTMAX-3+SIGRTMAX-4+SIGRTMAX-5+SIGRTMAX-6+SIGRTMAX-7+SIGRTMAX-8+SIGRTMAX-9+SIGRTMIN+SIGRTMIN+1+SIGRTMIN+10+SIGRTMIN+11+SIGRTMIN+12+SIGRTMIN+13+SIGRTMIN+14+SIGRTMIN+15+SIGRTMIN+2+SIGRTMIN+3+SIGRTMIN+4+SIGRTMIN+5+SIGRTMIN+6+SIGRTMIN+7+SIGRTMIN+8+SIGRTMIN+9+SIGSEGV+SIGSTKFLT+SIGSTOP+SIGSYS+SIGTERM+SIGTRAP+SIGTSTP+SIGTTIN+SIGTTOU+SIGURG+SIGUSR1+SIGUSR2+SIGVTALRM+SIGWINCH+SIGXCPU+SIGXFSZ
T core.v1.Probe - exec=#426|p failureThreshold=i grpc=#427|p httpGet=#428|p initialDelaySeconds=i periodSeconds=i successThreshold=i tcpSocket=#429|p terminationGracePeriodSeconds=l|p timeoutSeconds=i
T core.v1.ContainerPort - containerPort=i|z|r hostIP=s hostPort=i name=s protocol=s|e:SCTP+TCP+UDP|d:"TCP"
T core.v1.ContainerResizePolicy - resourceName=s|z|r restartPolicy=s|z|r
T core.v1.ContainerRestartRule - action=s|r exitCodes=#430|p
T core.v1.SecurityContext - allowPrivilegeEscalation=b|p appArmorProfile=#333|p capabilities=#431|p privileged=b|p procMount=s|p|e:Default+Unmasked readOnlyRootFilesystem=b|p runAsGroup=l|p runAsNonRoot=b|p runAsUser=l|p seLinuxOptions=#334|p seccompProfile=#335|p windowsOptions=#337|p
T core.v1.VolumeDevice - devicePath=s|z|r name=s|z|r
T core.v1.VolumeMount - mountPath=s|z|r mountPropagation=s|p|e:Bidirectional+HostToContainer+None name=s|z|r readOnly=b recursiveReadOnly=s|p subPath=s subPathExpr=s
T core.v1.PodDNSConfigOption - name=s value=s|p
T core.v1.ResourceClaim - name=s|z|r request=s
T core.v1.AppArmorProfile - localhostProfile=s|p type=s|z|r|e:Localhost+RuntimeDefault+Unconfined
T core.v1.SELinuxOptions - level=s role=s type=s user=s
T core.v1.SeccompProfile - localhostProfile=s|p type=s|z|r|e:Localhost+RuntimeDefault+Unconfined
T core.v1.Sysctl - name=s|z|r value=s|z|r
T core.v1.WindowsSecurityContextOptions - gmsaCredentialSpec=s|p gmsaCredentialSpecName=s|p hostProcess=b|p runAsUserName=s|p
T core.v1.AzureFileVolumeSource - readOnly=b secretName=s|z|r shareName=s|z|r
T core.v1.CephFSVolumeSource - monitors=[s|z|r path=s readOnly=b secretFile=s secretRef=#90|p user=s
T core.v1.CinderVolumeSource - fsType=s readOnly=b secretRef=#90|p volumeID=s|z|r
T core.v1.ConfigMapVolumeSource - defaultMode=i|p items=[#432 name=s|p optional=b|p
T core.v1.CSIVolumeSource - driver=s|z|r fsType=s|p nodePublishSecretRef=#90|p readOnly=b|p volumeAttributes={s
T core.v1.DownwardAPIVolumeSource - defaultMode=i|p items=[#433
T core.v1.EmptyDirVolumeSource - medium=s sizeLimit=q|p
T core.v1.EphemeralVolumeSource - volumeClaimTemplate=#434|p
T core.v1.FlexVolumeSource - driver=s|z|r fsType=s options={s readOnly=b secretRef=#90|p
T core.v1.GitRepoVolumeSource - directory=s repository=s|z|r revision=s
T core.v1.GlusterfsVolumeSource - endpoints=s|z|r path=s|z|r readOnly=b
T core.v1.ImageVolumeSource - pullPolicy=s|e:Always+IfNotPresent+Never reference=s
T core.v1.ISCSIVolumeSource - chapAuthDiscovery=b chapAuthSession=b fsType=s initiatorName=s|p iqn=s|z|r iscsiInterface=s|d:"default" lun=i|z|r portals=[s readOnly=b secretRef=#90|p targetPortal=s|z|r
T core.v1.PersistentVolumeClaimVolumeSource - claimName=s|z|r readOnly=b
T core.v1.ProjectedVolumeSource - defaultMode=i|p sources=[#435|z
T core.v1.RBDVolumeSource - fsType=s image=s|z|r keyring=s|d:"/etc/ceph/keyring" monitors=[s|z|r pool=s|d:"rbd" readOnly=b secretRef=#90|p user=s|d:"admin"
T core.v1.ScaleIOVolumeSource - fsType=s|d:"xfs" gateway=s|z|r protectionDomain=s readOnly=b secretRef=#90|z|p|r sslEnabled=b storageMode=s|d:"ThinProvisioned" storagePool=s system=s|z|r volumeName=s
T core.v1.SecretVolumeSource - defaultMode=i|p items=[#432 optional=b|p secretName=s
T core.v1.StorageOSVolumeSource - fsType=s readOnly=b secretRef=#90|p volumeName=s volumeNamespace=s
T core.v1.ResourceStatus - name=s|z|r resources=[#436|m:resourceID
T core.v1.ContainerState - running=#437|p terminated=#438|p waiting=#439|p
T core.v1.ContainerUser - linux=#440|p
T core.v1.VolumeMountStatus - mountPath=s|z|r name=s|z|r readOnly=b recursiveReadOnly=s|p volumeStatus=#441|p
T core.v1.ContainerExtendedResourceRequest - containerName=s|z|r requestName=s|z|r resourceName=s|z|r
T core.v1.ScopedResourceSelectorRequirement - operator=s|z|r|e:DoesNotExist+Exists+In+NotIn scopeName=s|z|r|e:BestEffort+CrossNamespacePodAffinity+NotBestEffort+NotTerminating+PriorityClass+Terminating+VolumeAttributesClass values=[s
T core.v1.ClientIPConfig - timeoutSeconds=i|p
T core.v1.LoadBalancerIngress - hostname=s ip=s ipMode=s|p ports=[#442
T apps.v1.RollingUpdateDaemonSet - maxSurge=x|p maxUnavailable=x|p
T apps.v1.RollingUpdateDeployment - maxSurge=x|p maxUnavailable=x|p
T apps.v1.RollingUpdateStatefulSetStrategy - maxUnavailable=x|p partition=i|p
T authorization.v1.FieldSelectorAttributes - rawSelector=s requirements=[#443
T authorization.v1.LabelSelectorAttributes - rawSelector=s requirements=[#275
T autoscaling.v2.HPAScalingRules - policies=[#444 selectPolicy=s|p stabilizationWindowSeconds=i|p tolerance=q|p
T autoscaling.v2.ContainerResourceMetricSource - container=s|z|r name=s|z|r target=#445|z|r
T autoscaling.v2.ExternalMetricSource - metric=#446|z|r target=#445|z|r
T autoscaling.v2.ObjectMetricSource - describedObject=#255|z|r metric=#446|z|r target=#445|z|r
T autoscaling.v2.PodsMetricSource - metric=#446|z|r target=#445|z|r
T autoscaling.v2.ResourceMetricSource - name=s|z|r target=#445|z|r
T autoscaling.v2.ContainerResourceMetricStatus - container=s|z|r current=#447|z|r name=s|z|r
T autoscaling.v2.ExternalMetricStatus - current=#447|z|r metric=#446|z|r
T autoscaling.v2.ObjectMetricStatus - current=#447|z|r describedObject=#255|z|r metric=#446|z|r
T autoscaling.v2.PodsMetricStatus - current=#447|z|r metric=#446|z|r
T autoscaling.v2.ResourceMetricStatus - current=#447|z|r name=s|z|r
T batch.v1.PodFailurePolicyRule - action=s|z|r|e:Count+FailIndex+FailJob+Ignore onExitCodes=#448|p onPodConditions=[#449
T batch.v1.SuccessPolicyRule - succeededCount=i|p succeededIndexes=s|p
T networking.v1.IngressServiceBackend - name=s|z|r port=#450
T networking.v1.HTTPIngressRuleValue - paths=[#451|z|r
T networking.v1.IngressLoadBalancerIngress - hostname=s ip=s ports=[#452
T networking.v1.NetworkPolicyPort - endPort=i|p port=x|p protocol=s|p|e:SCTP+TCP+UDP
T networking.v1.NetworkPolicyPeer - ipBlock=#453|p namespaceSelector=#137|p podSelector=#137|p
T storage.v1.VolumeNodeResources - count=i|p
T admissionregistration.v1.NamedRuleWithOperations a apiGroups=[s|p apiVersions=[s|p operations=[s|p resourceNames=[s resources=[s|p scope=s|p|e:*+Cluster+Namespaced
T admissionregistration.v1.ApplyConfiguration - expression=s
T admissionregistration.v1.JSONPatch - expression=s
T admissionregistration.v1.ServiceReference - name=s|z|r namespace=s|z|r path=s|p port=i|p
T admissionregistration.v1.ExpressionWarning - fieldRef=s|z|r warning=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion - clientConfig=#454|p conversionReviewVersions=[s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition - description=s format=s jsonPath=s|z|r name=s|z|r priority=i type=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation - openAPIV3Schema=#455|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField - jsonPath=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources - scale=#456|p status=#457|p
T discovery.v1.ForNode - name=s|z|r
T discovery.v1.ForZone - name=s|z|r
T resource.v1.OpaqueDeviceConfiguration - driver=s|z|r parameters=r|z|r
T resource.v1.CELDeviceSelector - expression=s|z|r
T resource.v1.DeviceClaimConfiguration - opaque=#401|p requests=[s
T resource.v1.DeviceConstraint - distinctAttribute=s|p matchAttribute=s|p requests=[s
T resource.v1.DeviceRequest - exactly=#458|p firstAvailable=[#459 name=s|z|r
T resource.v1.DeviceAllocationResult - config=[#460 results=[#461
T resource.v1.NetworkDeviceData - hardwareAddress=s interfaceName=s ips=[s
T resource.v1.DeviceAttribute - bool=b|p bools=[b int=l|p ints=[l string=s|p strings=[s version=s|p versions=[s
T resource.v1.DeviceCapacity - requestPolicy=#462|p value=q|z|r
T resource.v1.DeviceCounterConsumption - counterSet=s|z|r counters={#414|r
T resource.v1.NodeAllocatableResourceMapping - allocationMultiplier=q|p capacityKey=s|p
T resource.v1.DeviceTaint - effect=s|z|r|e:NoExecute+NoSchedule+None key=s|z|r timeAdded=t|p value=s
T core.v1.NodeSelectorTerm a matchExpressions=[#463 matchFields=[#463
T resource.v1.Counter - value=q|z|r
T flowcontrol.v1.NonResourcePolicyRule - nonResourceURLs=[s|z|r|s verbs=[s|z|r|s
T flowcontrol.v1.ResourcePolicyRule - apiGroups=[s|z|r|s clusterScope=b namespaces=[s|z|s resources=[s|z|r|s verbs=[s|z|r|s
T flowcontrol.v1.Subject - group=#464|p kind=s|z|r serviceAccount=#465|p user=#466|p
T flowcontrol.v1.LimitResponse - queuing=#467|p type=s|z|r
T core.v1.PreferredSchedulingTerm - preference=#413|z|r weight=i|z|r
T core.v1.WeightedPodAffinityTerm - podAffinityTerm=#421|z|r weight=i|z|r
T core.v1.PodAffinityTerm - labelSelector=#137|p matchLabelKeys=[s mismatchLabelKeys=[s namespaceSelector=#137|p namespaces=[s topologyKey=s|z|r
T core.v1.EnvVarSource - configMapKeyRef=#468|p fieldRef=#469|p fileKeyRef=#470|p resourceFieldRef=#471|p secretKeyRef=#472|p
T core.v1.ConfigMapEnvSource - name=s|p optional=b|p
T core.v1.SecretEnvSource - name=s|p optional=b|p
T core.v1.LifecycleHandler - exec=#426|p httpGet=#428|p sleep=#473|p tcpSocket=#429|p
T core.v1.ExecAction - command=[s
T core.v1.GRPCAction - port=i|z|r service=s|z|p
T core.v1.HTTPGetAction - host=s httpHeaders=[#474 path=s port=x|z|r scheme=s|e:HTTP+HTTPS
T core.v1.TCPSocketAction - host=s port=x|z|r
T core.v1.ContainerRestartRuleOnExitCodes - operator=s|r values=[i|s
T core.v1.Capabilities - add=[s drop=[s
T core.v1.KeyToPath - key=s|z|r mode=i|p path=s|z|r
T core.v1.DownwardAPIVolumeFile - fieldRef=#469|p mode=i|p path=s|z|r resourceFieldRef=#471|p
T core.v1.PersistentVolumeClaimTemplate - metadata=#68 spec=#79|z|r
T core.v1.VolumeProjection - clusterTrustBundle=#475|p configMap=#476|p downwardAPI=#477|p podCertificate=#478|p secret=#479|p serviceAccountToken=#480|p
T core.v1.ResourceHealth - health=s message=s|p resourceID=s|z|r
T core.v1.ContainerStateRunning - startedAt=t
T core.v1.ContainerStateTerminated - containerID=s exitCode=i|z|r finishedAt=t message=s reason=s signal=i startedAt=t
T core.v1.ContainerStateWaiting - message=s reason=s
T core.v1.LinuxContainerUser - gid=l|z|r supplementalGroups=[l uid=l|z|r
T core.v1.VolumeStatus - image=#481|p
T core.v1.PortStatus - error=s|p port=i|z|r protocol=s|z|r|e:SCTP+TCP+UDP
T apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement - key=s|z|r operator=s|z|r values=[s
T autoscaling.v2.HPAScalingPolicy - periodSeconds=i|z|r type=s|z|r value=i|z|r
T autoscaling.v2.MetricTarget - averageUtilization=i|p averageValue=q|p type=s|z|r value=q|p
T autoscaling.v2.MetricIdentifier - name=s|z|r selector=#137|p
T autoscaling.v2.MetricValueStatus - averageUtilization=i|p averageValue=q|p value=q|p
T batch.v1.PodFailurePolicyOnExitCodesRequirement - containerName=s|p operator=s|z|r|e:In+NotIn values=[i|z|r|s
T batch.v1.PodFailurePolicyOnPodConditionsPattern - status=s|z type=s|z|r
T networking.v1.ServiceBackendPort a name=s number=i
T networking.v1.HTTPIngressPath - backend=#266|z|r path=s pathType=s|z|p|r|e:Exact+ImplementationSpecific+Prefix
T networking.v1.IngressPortStatus - error=s|p port=i|z|r protocol=s|z|r|e:SCTP+TCP+UDP
T networking.v1.IPBlock - cidr=s|z|r except=[s
T apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig - caBundle=y service=#482|p url=s|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps - $ref=s|p $schema=s additionalItems=r|p additionalProperties=r|p allOf=[#455 anyOf=[#455 default=r|p definitions={#455 dependencies={r description=s enum=[r example=r|p exclusiveMaximum=b exclusiveMinimum=b externalDocs=#483|p format=s id=s items=r|p maxItems=l|p maxLength=l|p maxProperties=l|p maximum=n|p minItems=l|p minLength=l|p minProperties=l|p minimum=n|p multipleOf=n|p not=#455|p nullable=b oneOf=[#455 pattern=s patternProperties={#455 properties={#455 required=[s title=s type=s uniqueItems=b x-kubernetes-embedded-resource=b x-kubernetes-int-or-string=b x-kubernetes-list-map-keys=[s x-kubernetes-list-type=s|p x-kubernetes-map-type=s|p x-kubernetes-preserve-unknown-fields=b|p x-kubernetes-validations=[#484|m:rule|M:rule
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale - labelSelectorPath=s|p specReplicasPath=s|z|r statusReplicasPath=s|z|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus -
T resource.v1.ExactDeviceRequest - adminAccess=b|p allocationMode=s|e:All+ExactCount capacity=#485|p count=l deviceClassName=s|z|r selectors=[#297 tolerations=[#486
T resource.v1.DeviceSubRequest - allocationMode=s|e:All+ExactCount capacity=#485|p count=l deviceClassName=s|z|r name=s|z|r selectors=[#297 tolerations=[#486
T resource.v1.DeviceAllocationConfiguration - opaque=#401|p requests=[s source=s|z|r|e:FromClaim+FromClass
)table",
R"table(T resource.v1.DeviceRequestAllocationResult - adminAccess=b|p bindingConditions=[s bindingFailureConditions=[s consumedCapacity={q device=s|z|r driver=s|z|r pool=s|z|r request=s|z|r shareID=s|p tolerations=[#486
T resource.v1.CapacityRequestPolicy - default=q|z|p validRange=#487|p validValues=[q
T core.v1.NodeSelectorRequirement - key=s|z|r operator=s|z|r|e:DoesNotExist+Exists+Gt+In+Lt+NotIn values=[s
T flowcontrol.v1.GroupSubject - name=s|z|r
T flowcontrol.v1.ServiceAccountSubject - name=s|z|r namespace=s|z|r
T flowcontrol.v1.UserSubject - name=s|z|r
T flowcontrol.v1.QueuingConfiguration - handSize=i|z queueLengthLimit=i|z queues=i|z
T core.v1.ConfigMapKeySelector a key=s|z|r name=s|p optional=b|p
T core.v1.ObjectFieldSelector a apiVersion=s fieldPath=s|z|r
T core.v1.FileKeySelector a key=s|z|r optional=b|p path=s|z|r volumeName=s|z|r
T core.v1.ResourceFieldSelector a containerName=s divisor=q resource=s|z|r
T core.v1.SecretKeySelector a key=s|z|r name=s|p optional=b|p
T core.v1.SleepAction - seconds=l|z|r
T core.v1.HTTPHeader - name=s|z|r value=s|z|r
T core.v1.ClusterTrustBundleProjection - labelSelector=#137|p name=s|p optional=b|p path=s|z|r signerName=s|p
T core.v1.ConfigMapProjection - items=[#432 name=s|p optional=b|p
T core.v1.DownwardAPIProjection - items=[#433
T core.v1.PodCertificateProjection - certificateChainPath=s credentialBundlePath=s keyPath=s keyType=s|r maxExpirationSeconds=i|p signerName=s|r userAnnotations={s
T core.v1.SecretProjection - items=[#432 name=s|p optional=b|p
T core.v1.ServiceAccountTokenProjection - audience=s expirationSeconds=l|p path=s|z|r
T core.v1.ImageVolumeStatus - imageRef=s|r
T apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference - name=s|z|r namespace=s|z|r path=s|p port=i|p
T apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation - description=s url=s
T apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule - fieldPath=s message=s messageExpression=s optionalOldSelf=b|p reason=s|p|e:FieldValueDuplicate+FieldValueForbidden+FieldValueInvalid+FieldValueRequired rule=s|z|r
T resource.v1.CapacityRequirements - requests={q
T resource.v1.DeviceToleration - effect=s|e:NoExecute+NoSchedule+None key=s operator=s|e:Equal+Exists|d:"Equal" tolerationSeconds=l|p value=s
T resource.v1.CapacityRequestPolicyRange - max=q|p min=q|p|r step=q|p
)table",
};
// clang-format on

}  // namespace kcontrol::testing::detail
