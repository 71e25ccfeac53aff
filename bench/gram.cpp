#include <cstdio>
#include <chrono>
#include <random>
#include <string>
#include <vector>
#include "mercer/gram/computed.h"
#include "mercer/base/parallel.h"
extern "C" void cblas_sgemm(int,int,int,int,int,int,float,const float*,int,const float*,int,float,float*,int);
using namespace mercer;
static double now(){return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();}
int main(int argc,char**argv){
  const index n=8192;
  for(index d: {8,16,64,256}){
    matrix<float> x(n,d),z(n,d); std::mt19937 g(1); std::normal_distribution<float> u;
    for(index i=0;i<n*d;++i){x.data()[i]=u(g);z.data()[i]=u(g);}
    matrix<float> out(n,n);
    double best=1e9,bs=1e9,bg=1e9,bc=1e9;
    auto X=dense<float>(x.view()),Z=dense<float>(z.view());
    for(int rep=0;rep<5;++rep){
      double t=now(); computed<float>(kernel::parse("rbf(gamma=0.01)"),X,Z).all(out.view()); best=std::min(best,now()-t);
      t=now(); computed<float>(kernel::parse("rbf(gamma=0.01)"),X).all(out.view()); bs=std::min(bs,now()-t);
      t=now(); computed<float>(kernel::parse("0.5*rbf(gamma=0.01)+poly()*linear()"),X,Z).all(out.view()); bc=std::min(bc,now()-t);
      t=now(); cblas_sgemm(101,111,112,n,n,d,1.f,x.data(),d,z.data(),d,0.f,out.data(),n); bg=std::min(bg,now()-t);
    }
    double f=2.0*n*n*d*1e-9;
    printf("d=%ld sgemm %.3f s %.1f GF | XZ %.3f s %.1f GF (%.2f of sgemm) | XX %.3f s (%.2f) | composite %.3f (%.2f of rbf)\n",d,bg,f/bg,best,f/best,bg/best,bs,bg/bs,bc,best/bc);
  }
}
